import { expect, test } from "vitest";
import type { Entry } from "./api.ts";
import { story } from "./lead-page.tsx";
import { deskTexts } from "./texts.ts";

const entry: Entry = {
  at: "2026-11-24T08:00:00Z",
  event: "progressed",
  by: "Mei Tan",
  state: "visiting",
  closing_reason: null,
  owner: "Daniel Koh",
  next_step_at: "2026-11-28T03:00:00Z",
  text: "",
  do_not_contact: false,
};

test("an entry of the timeline says who did what, and what is next", () => {
  const words = () => "Sat";
  expect(story(deskTexts.en, entry, words)).toBe("Mei Tan: Visiting · Visit Sat · With Daniel Koh");
  const closed: Entry = { ...entry, state: "closed", closing_reason: "bought", owner: "" };
  expect(story(deskTexts.en, closed, words)).toBe("Mei Tan: Closed · Bought here · Nobody’s yet");
});
