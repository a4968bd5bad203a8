import type { FramedAnswer } from "../terms/answers.ts";

/** Whether an answer shows content, in which the words around it are escaped already. */
export function hasBody(answer: FramedAnswer): boolean {
  switch (answer.type) {
    case "fd_content":
    case "fd_matches":
    case "fd_diff":
    case "fd_query":
      return true;
    case "fd_result":
      return answer.preview.length > 0;
    case "write_result":
    case "write_log":
      return answer.diff !== undefined;
    default:
      return false;
  }
}
