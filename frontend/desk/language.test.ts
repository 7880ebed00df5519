import { expect, test } from "vitest";
import { chooseLanguage } from "./language.ts";

test.each([
  ["the address", { search: "?lang=zh", cookie: "lang=en", browser: ["en-SG"] }, "zh"],
  ["the last choice", { search: "", cookie: "a=b; lang=zh", browser: ["en-SG"] }, "zh"],
  ["the last choice", { search: "?lang=fr", cookie: "lang=en", browser: ["zh-CN"] }, "en"],
  ["the browser", { search: "", cookie: "", browser: ["zh-CN", "en"] }, "zh"],
  ["the browser", { search: "", cookie: "lang=", browser: ["ms-MY", "zh_SG", "en"] }, "zh"],
  ["the browser", { search: "", cookie: "slang=zh", browser: ["en-GB", "zh"] }, "en"],
  ["the default", { search: "", cookie: "", browser: ["fr", "enx"] }, "en"],
] as const)("the desk opens in the language of %s", (_, sources, expected) => {
  expect(chooseLanguage(sources)).toBe(expected);
});

test("the document has the language of its texts", () => {
  expect(document.documentElement.lang).toBe("en");
});
