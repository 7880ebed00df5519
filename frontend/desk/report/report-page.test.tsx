import { render, screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Me } from "#desk/api.ts";
import { Desk } from "#desk/desk.tsx";
import { deskTexts } from "#desk/texts.ts";
import { viewOf } from "#desk/view.ts";
// The response in the tests of the server.
import example from "../../../services/desk/tests/desk/report.json" with { type: "json" };
import type { Report } from "./report.ts";
import { reportTexts } from "./texts.ts";

const report = example as Report;
const texts = deskTexts.en;
const words = reportTexts.en;
const user = userEvent.setup();
const me: Me = {
  name: "Mei Tan",
  people: ["Mei Tan"],
  time_zone: "Asia/Singapore",
  may_send_brochures: false,
  may_see_report: true,
};

/** Renders the desk at an address with a server that responds with a report. Returns the requested reports. */
function renderReport(hash: string, answer: () => Response = () => Response.json(report)) {
  window.history.replaceState(null, "", `/desk${hash}`);
  const asked: string[] = [];
  const server: typeof fetch = async (input) => {
    const path = String(input).replace("/desk/api/", "");
    if (path === "me") {
      return Response.json(me);
    }
    if (path === "leads") {
      return Response.json({ leads: [], next: null });
    }
    asked.push(path);
    return answer();
  };
  vi.stubGlobal("fetch", server);
  render(<Desk />);
  return asked;
}

const block = (name: string) => screen.findByRole("heading", { level: 2, name });
const period = { from: report.from, before: report.before };

/** The filter to which a bar leads. */
function filterOf(link: Element): unknown {
  const view = viewOf(link.getAttribute("href") ?? "");
  return view.name === "list" ? view.filter : null;
}

beforeEach(() => {
  vi.spyOn(window, "scrollTo").mockImplementation(() => {});
});

afterEach(() => vi.unstubAllGlobals());

test("the blocks are in order, below the figures of the headline", async () => {
  renderReport("#/report?days=7");
  await block(words.headline.heading);
  const headings = screen.getAllByRole("heading", { level: 2 }).map((each) => each.textContent);
  expect(headings).toEqual([
    words.headline.heading,
    words.daily.heading,
    words.sources.heading,
    words.wishes.heading,
    words.outcome.heading,
    words.deliveries.heading,
  ]);
  const figures = [...document.querySelectorAll(".report-figure")];
  expect(figures.map((each) => each.textContent)).toEqual(["41", "5", "1 h 30 min", "60%"]);
  screen.getByText(words.headline.agreed(58, 96));
  screen.getByText(words.headline.weekBefore(37, 61));
});

test("each day leads to its leads, and the last day is marked", async () => {
  renderReport("#/report?days=7");
  const chart = await screen.findByRole("group", { name: words.daily.chart(7) });
  const columns = within(chart).getAllByRole("link");
  expect(columns.map(filterOf)).toEqual(report.days.map(({ from, before }) => ({ from, before })));
  expect(columns[0]?.getAttribute("aria-label")).toBe(
    "Thu, 26 Feb: 10 leads, Purchase 3, Show flat 4, Brochure 3",
  );
  const isMarked = columns.map((column) =>
    column.getAttribute("aria-label")?.endsWith(words.daily.unfinished),
  );
  expect(isMarked).toEqual([false, false, false, false, false, false, true]);
  screen.getByText(words.daily.erased(1), { exact: false });
});

test("arrow keys move between the days, of which one is a tab stop", async () => {
  renderReport("#/report?days=7");
  const chart = await screen.findByRole("group", { name: words.daily.chart(7) });
  const columns = within(chart).getAllByRole("link");
  const stops = () =>
    columns.flatMap((column, index) => (column.getAttribute("tabindex") === "0" ? [index] : []));
  expect(stops()).toEqual([6]);
  columns[6]?.focus();
  await user.keyboard("{ArrowLeft}");
  expect(document.activeElement).toBe(columns[5]);
  await user.keyboard("{Home}{ArrowLeft}");
  expect(document.activeElement).toBe(columns[0]);
  expect(stops()).toEqual([0]);
});

test("a bar leads to the list with its filter and period", async () => {
  renderReport("#/report?days=7");
  await block(words.sources.heading);
  const filters = (name: string) => screen.getAllByRole("link", { name }).map(filterOf);
  expect(filters("launch")).toEqual([{ ...period, campaign: "launch" }]);
  expect(filters(words.sources.none.sources)).toEqual([{ ...period, source: "" }]);
  expect(filters("news.example")).toEqual([{ ...period, referrer: "news.example" }]);
  expect(filters("C2N")).toEqual([{ ...period, plans: ["C2N"] }]);
  expect(filters("2")).toEqual([{ ...period, plans: ["B1", "B2"] }]);
  expect(filters("Show flat")).toEqual([{ ...period, interest: "showflat" }]);
  expect(filters("Chinese")).toEqual([{ ...period, language: "zh" }]);
  expect(filters("31")).toEqual([{ ...period, visit_time: "weekend-afternoons" }]);
  expect(filters(texts.states.new)).toEqual([{ ...period, state: "new" }]);
  expect(filters(texts.reasons.unreachable)).toEqual([
    { ...period, closing_reason: "unreachable" },
  ]);
  expect(filters("陈伟")).toEqual([{ ...period, owner: "陈伟" }]);
  expect(filters(texts.whoseIs(""))).toEqual([{ ...period, owner: "" }]);
  expect(filters(words.outcome.contacted)).toEqual([{ ...period, contacted: "yes" }]);
  expect(filters(words.outcome.visit)).toEqual([{ ...period, visit_booked: "yes" }]);
  expect(filters(words.outcome.noReason)).toEqual([{ ...period, closing_reason: "" }]);
  expect(filters("Confirmation, Failed: 1")).toEqual([
    { visitor_email: "confirmation-failed", emailed_from: period.from },
  ]);
});

test("the number of days is in the address", async () => {
  const asked = renderReport("#/report");
  await block(words.daily.heading);
  const other = screen.getByRole("link", { name: words.days(90) });
  window.location.hash = other.getAttribute("href") ?? "";
  window.dispatchEvent(new Event("hashchange"));
  await waitFor(() => expect(asked).toEqual(["report?days=30", "report?days=90"]));
  expect(screen.getByRole("link", { current: "page" }).textContent).toBe(words.days(90));
});

test("a period without leads says so", async () => {
  const days = report.days.map((day) => ({ ...day, leads: 0, erased: 0, interests: [] }));
  const none = { ...report.headline, leads: 0, contacted: 0, median_to_contact_seconds: null };
  const deliveries: Report["deliveries"] = [];
  renderReport("#/report", () => Response.json({ ...report, days, headline: none, deliveries }));
  await screen.findByText(words.none(7));
  screen.getByText(words.deliveries.none);
  expect(screen.queryByRole("heading", { name: words.sources.heading })).toBeNull();
  const figures = [...document.querySelectorAll(".report-figure")];
  expect(figures.map((each) => each.textContent).slice(2)).toEqual(["–", "–"]);
});

test("an error can be retried, and a person may lack the permission", async () => {
  const error = (status: number, code: string) => Response.json({ error: { code } }, { status });
  let answer = () => error(403, "forbidden");
  renderReport("#/report", () => answer());
  await screen.findByText(texts.errors.forbidden);
  answer = () => Response.json(report);
  await user.click(screen.getByRole("button", { name: texts.retry }));
  await block(words.headline.heading);
  expect(screen.queryByRole("alert")).toBeNull();
});
