import { inputLimits } from "./registration.ts";

/**
 * The visitor's question with a sentence of the site's own at its end, in place of an earlier one; an empty sentence
 * only takes the earlier one away. The question stays as it is where the sentence would not fit.
 */
export function withSentence(question: string, sentence: string, earlier = ""): string {
  const own = earlier === "" ? question : question.replace(earlier, "").trimEnd();
  const parts = [own, own.includes(sentence) ? "" : sentence].filter((part) => part !== "");
  const whole = parts.join("\n");
  return whole.length <= inputLimits.questions ? whole : question;
}
