/**
 * Finds objects that are dictionaries by id: many keys that look like ids, or many objects of one form. Their values share
 * one path in the outline.
 */

import { ARRAY, makeDictionary, OBJECT, type PathNode, valueCount } from "./path_node.ts";

const MIN_IDS = 5;
const MIN_ALIKE = 12;

/** Folds the dictionaries under a path, the innermost first. */
export function foldDictionaries(node: PathNode): void {
  if (node.element !== undefined) foldDictionaries(node.element);
  for (const child of node.children) foldDictionaries(child);
  if (!node.isDictionary && isDictionary(node)) makeDictionary(node);
}

function isDictionary({ children }: PathNode): boolean {
  if (children.length < MIN_IDS || !areOfOneKind(children)) return false;
  const ids = children.filter(({ key }) => isId(key)).length;
  return ids >= children.length * 0.8 || children.length >= MIN_ALIKE && haveOneForm(children);
}

/** Whether a key is hardly one that a program knows: a number, hash, path, address, sentence. */
function isId(key: string): boolean {
  return /\d{2}|[/@: ]|^\d|\.[a-z]|^[0-9a-f]{8,}$|\\/i.test(key);
}

function kindOf(node: PathNode): string {
  const { counts } = node;
  if (counts[OBJECT]! > 0) return "object";
  return counts[ARRAY]! > 0 ? "array" : "scalar";
}

function areOfOneKind(nodes: readonly PathNode[]): boolean {
  const kind = kindOf(nodes[0]!);
  return nodes.filter((node) => kindOf(node) === kind).length >= nodes.length * 0.9;
}

/** Whether the objects have mostly the same keys. */
function haveOneForm(nodes: readonly PathNode[]): boolean {
  const counts = new Map<string, number>();
  let all = 0;
  for (const node of nodes) {
    const held = node.element !== undefined && node.counts[OBJECT] === 0 ? node.element : node;
    if (valueCount(held) === 0) continue;
    for (const { key } of held.children) {
      counts.set(key, (counts.get(key) ?? 0) + 1);
      all++;
    }
  }
  return counts.size >= 2 && all >= counts.size * nodes.length * 0.6;
}
