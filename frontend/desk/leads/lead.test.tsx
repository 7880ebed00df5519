import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import type { Lead } from "#desk/api.ts";
import { LeadView } from "./lead.tsx";

/** The visitor's texts. A new one needs a text here that no other field contains. */
const typed = {
  name: "陈伟",
  mobile: "9123 4567",
  email: "wei@example.com",
  questions: "几时开放？",
};

const lead: Lead = {
  ...typed,
  id: "11111111-2222-4333-8444-555555555555",
  reference: "ZG-7F3K-2Q",
  submitted_at: "2026-11-24T08:00:00Z",
  interests: ["showflat"],
  phone: "+6591234567",
  takes_messages: true,
  dialled: null,
  country_code_added: false,
  channels: ["phone"],
  language: "zh",
  visit_times: [],
  signals: [],
  form_seconds: null,
  plan: null,
  do_not_contact: false,
  same_number: [],
  number_withdrawn_at: null,
  withdrawn_at: null,
  dnc_check: null,
  was_corrected: false,
  progress: null,
  related: [],
  timeline: [],
};

/** Texts that the program computes, or values for which the page has other words. */
const computed = ["id", "reference", "submitted_at", "phone", "language"];

test("a lead shows every text of the visitor", () => {
  const texts = Object.entries(lead).filter(
    ([field, value]) => typeof value === "string" && !computed.includes(field),
  );
  expect(texts.map(([field]) => field)).toEqual(Object.keys(typed));
  vi.stubGlobal("fetch", () => new Promise(() => {}));
  const { container } = render(
    <QueryClientProvider client={new QueryClient()}>
      <LeadView lead={lead} by="Mei Tan" />
    </QueryClientProvider>,
  );
  const missing = texts.filter(([, text]) => !container.textContent?.includes(String(text)));
  expect(missing).toEqual([]);
});
