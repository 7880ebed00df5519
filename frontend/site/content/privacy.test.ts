// @vitest-environment node
import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { languages } from "#shared/i18n/language.ts";
import { textFields } from "#site/features/registration/registration.ts";
import { messages } from "#site/i18n/all-languages.ts";
import versions from "./privacy/versions.json" with { type: "json" };
import { type Fact, project } from "./project.ts";

const files: Record<string, string> = import.meta.glob("./privacy/*.*.json", {
  query: "?raw",
  import: "default",
  eager: true,
});
const textOf = (version: string, language: string) =>
  files[`./privacy/${version}.${language}.json`] ?? "";

test("each version of the privacy policy keeps its accepted text", () => {
  for (const { version, sha256 } of versions) {
    const text = languages.map((language) => textOf(version, language)).join("");
    expect({ version, sha256: createHash("sha256").update(text).digest("hex") }).toEqual({
      version,
      sha256,
    });
  }
  expect(Object.keys(files)).toHaveLength(versions.length * languages.length);
});

test("the newest version is the first, and the site shows it", () => {
  const dates = versions.map(({ version }) => version);
  expect(dates).toEqual(dates.toSorted().toReversed());
  for (const language of languages) {
    expect(messages[language].privacy).toEqual(JSON.parse(textOf(dates[0] ?? "", language)));
  }
});

test("the newest version names every text of the form among the collected data", () => {
  for (const field of textFields) {
    // The label of the field, in the singular.
    const label = messages.en.registration[field].toLowerCase().replace(/s$/, "");
    expect(messages.en.privacy.collectedText).toContain(label);
    expect(messages.zh.privacy.collectedText).toContain(messages.zh.registration[field]);
  }
});

test("the newest version has the facts and the labels of the boxes that the site shows", () => {
  for (const language of languages) {
    const { privacy, registration } = messages[language];
    const shown = (fact: Fact | null) =>
      fact === null || typeof fact === "string" ? (fact ?? "") : fact[language];
    expect(privacy).toMatchObject({
      retention: shown(project.retention),
      privacyContact: shown(project.privacyContact),
    });
    // The sentence that makes a chosen channel a consent names the choice.
    expect(privacy.boxes.consent).toContain(privacy.boxes.phone);
    expect(privacy.boxes.consent).toContain(privacy.boxes.message);
    expect(registration.privacyBefore + registration.privacyLink).toBe(privacy.boxes.accept);
  }
});
