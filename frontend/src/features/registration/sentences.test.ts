import { expect, it } from "vitest";
import { withSentence } from "./sentences.ts";

it("a sentence comes after what the visitor typed, once", () => {
  expect(withSentence("", "About B2.")).toBe("About B2.");
  expect(withSentence("Is there a study?", "About B2.")).toBe("Is there a study?\nAbout B2.");
  expect(withSentence("Is there a study?\nAbout B2.", "About B2.")).toBe(
    "Is there a study?\nAbout B2.",
  );
});

it("a sentence takes the place of the one before it, or only takes it away", () => {
  expect(withSentence("Hello\nMornings.", "Evenings.", "Mornings.")).toBe("Hello\nEvenings.");
  expect(withSentence("Hello\nMornings.", "", "Mornings.")).toBe("Hello");
  expect(withSentence("Hello, edited", "Evenings.", "Mornings.")).toBe("Hello, edited\nEvenings.");
});

it("a question that has no room for a sentence stays as it is", () => {
  const long = "x".repeat(995);
  expect(withSentence(long, "About B2.")).toBe(long);
});
