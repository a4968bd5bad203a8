/**
 * Remarks that replace omitted code in languages other than English. A remark counts by its words for the rest, for
 * code and for "unchanged", whatever their order; a long one says more than that.
 */

/** "The rest". */
const REST = new RegExp(
  [
    "\\b(?:rest|restlich\\w*|alles andere|reste|restant\\w*|resto|restantes?|overige|reszta|kalan\\w*|resten|sisa)\\b",
    "übrige|demás|pozosta|остальн|решта|решту|其余|其餘|(?<![与與和跟同])其[它他]|剩余|剩餘|剩下|残り|以下|以降|その他|나머지|이하|باقي|بقية|बाकी|शेष|còn lại",
  ].join("|"),
);
/** "Existing". */
const EXISTING = new RegExp(
  [
    "\\b(?:bestehend\\w*|vorhanden\\w*|bisherig\\w*|existant\\w*|existentes?|esistent[ei]|outr[oa]s|altr[ei]|bestaand\\w*|mevcut)\\b",
    "istniej|befintlig|существующ|прежн|предыдущ|існуюч|现有|現有|原有|已有|既存|기존|मौजूदा|hiện có",
  ].join("|"),
);
const CODE = new RegExp(
  [
    "\\b(?:kode?|code|codes|datei|funktion\\w*|methoden?|klasse|inhalt|importe?|fichier|fonctions?|classe|contenu|fichero|archivo|file)\\b",
    "c[oó]digo|codice|arquivo|funcion|funç|m[eé]todo|metodi|méthode|conte[nú]|bestand|plik|funkcj|dosya|filen|код|файл|функци|метод|класс|импорт",
    "代码|代碼|程式碼|函数|方法|逻辑|内容|部分|实现|文件|コード|関数|メソッド|ファイル|処理|実装|코드|함수|메서드|부분|내용|الكود|الملف|कोड|phần",
  ].join("|"),
);
/** "Unchanged", "omitted", "the same". */
const SAME = new RegExp(
  [
    "[Uu]nverändert|ausgelassen|weggelassen|gekürzt|bleib\\w* gleich|wie (?:zuvor|vorher|bisher|gehabt)|[Ii]nchangé|sans (?:changement|modif)|identique",
    "[Ss]in (?:cambios|modific)|[Ss]em (?:altera|mudan|modific)|permanece|se mantiene|inalterad|invariat|omitid|omess[oi]|sigue igual|ongewijzigd|weggelaten",
    "[Bb]ez zmian|niezmienion|pominięt|değişme|aynı|oförändra|u[æe]ndret|[Бб]ез изменений|без змін|не (?:измен|меня)|опущен|пропущен",
    "不变|不變|省略|保持|相同|一致|未修改|未变|変更な|同じ|同様|そのまま|동일|생략|변경 ?없|그대로|유지|بدون تغيير|دون تغيير|كما هو|वही|अपरिवर्तित|giữ nguyên|không đổi|tetap sama",
  ].join("|"),
);

/** Longer remarks say more. */
const MAX_WORDS = 7;
const MAX_CHARS = 48;

/** Whether a text may have such a remark without dots. */
export function mayOmit(text: string): boolean {
  return SAME.test(text);
}

/**
 * Tells by the words of a remark, in lower case, whether it replaces omitted content: `sure`, or `sample` if people also
 * write it about code that is shown. `isMarked`: it has brackets or dots. Returns undefined for other remarks.
 */
export function foreignKind(
  core: string,
  { hasDots, isMarked }: { hasDots: boolean; isMarked: boolean },
): "sure" | "sample" | undefined {
  if (core.length > MAX_CHARS || core.split(" ").length > MAX_WORDS) return undefined;
  const [rest, existing, code, same] = [REST, EXISTING, CODE, SAME].map((words) => words.test(core));
  if (isMarked && same || hasDots && (rest || existing) && code) return "sure";
  return same && (rest || existing && code || SAME.exec(core)![0] === core) ? "sample" : undefined;
}
