import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render } from "@testing-library/react";
import { beforeEach, expect, test, vi } from "vitest";
import { channels, type Lead } from "#desk/api.ts";
// The response in the tests of the server.
import example from "../../../services/desk/tests/desk/lead.json" with { type: "json" };
import { LeadView } from "./lead.tsx";

const lead = example as Lead;

/** Another value for every field of a lead. */
const others: Lead = {
  id: "11111111-2222-4333-8444-555555555555",
  reference: "ZG-H8Y5-T7",
  name: "Tan Mei Ling",
  mobile: "8123 4567",
  email: "mei@example.com",
  questions: "Parking?",
  submitted_at: "2026-02-02T03:00:00Z",
  interests: ["purchase"],
  phone: null,
  takes_messages: false,
  dialled: null,
  country_code_added: false,
  channels: [],
  language: "en",
  visit_times: [],
  signals: [],
  form_seconds: 4,
  plan: null,
  homes: null,
  do_not_contact: true,
  same_number: [],
  number_withdrawn_at: null,
  withdrawn_at: null,
  dnc_check: null,
  was_corrected: true,
  progress: null,
  related: [],
  timeline: [],
};

function htmlOf(shown: Lead): string {
  const { container } = render(
    <QueryClientProvider client={new QueryClient()}>
      <LeadView lead={shown} by="Mei Tan" />
    </QueryClientProvider>,
  );
  return container.innerHTML;
}

beforeEach(() => vi.stubGlobal("fetch", () => new Promise(() => {})));

test("a lead has the fields that the server sends", () => {
  expect(Object.keys(others).toSorted()).toEqual(Object.keys(example).toSorted());
});

test("a lead shows every field", () => {
  // Some fields are shown only with one of the channels, or only without the other.
  const leads = channels.map((channel) => ({ ...lead, channels: [channel] }));
  const isShown = (field: string, value: unknown) =>
    leads.some((each) => htmlOf({ ...each, [field]: value }) !== htmlOf(each));
  const hidden = Object.entries(others).filter(([field, value]) => !isShown(field, value));
  expect(hidden.map(([field]) => field)).toEqual([]);
});
