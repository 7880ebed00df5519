import { act, fireEvent, render, screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
// The lead and the form in the tests of the server.
import example from "../../services/desk/tests/desk/lead.json" with { type: "json" };
import newLead from "../../services/desk/tests/desk/new-lead.json" with { type: "json" };
import type { Change, Channel, DncCheck, Lead, Me, Progress, Row, State } from "./api.ts";
import { Desk } from "./desk.tsx";
import { browserId } from "./session/storage.ts";
import { deskTexts } from "./texts.ts";

const texts = deskTexts.en;
const ID = "11111111-2222-4333-8444-555555555555";
const me: Me = {
  name: "Mei Tan",
  people: ["Mei Tan", "Daniel Koh"],
  time_zone: "Asia/Singapore",
  may_send_brochures: true,
};
const progress: Progress = {
  state: "new",
  owner: "",
  next_step_at: null,
  closing_reason: null,
  contacted_at: null,
  changed_at: null,
};
const lead: Lead = {
  ...(example as Lead),
  id: ID,
  reference: "ZG-7F3K-2Q",
  submitted_at: "2026-11-24T08:00:00Z",
  interests: ["showflat"],
  name: "陈伟",
  mobile: "9123 4567",
  phone: "+6591234567",
  takes_messages: true,
  dialled: "+6591234567",
  country_code_added: true,
  channels: ["phone", "message"],
  email: "wei@example.com",
  language: "zh",
  questions: "",
  visit_times: [],
  signals: [],
  form_seconds: 41,
  plan: null,
  do_not_contact: false,
  same_number: [],
  number_withdrawn_at: null,
  withdrawn_at: null,
  dnc_check: null,
  was_corrected: false,
  progress,
  related: [],
  timeline: [],
};
const inMail: Lead = { ...lead, progress: null };

type Answers = Record<string, (body: unknown, signal?: AbortSignal) => object | "offline">;

/** Renders the desk with a server that responds by method and path. */
function renderDesk(hash: string, answers: Answers) {
  window.history.replaceState(null, "", `/desk${hash}`);
  const sent: [string, unknown][] = [];
  const server: typeof fetch = async (input, init) => {
    const path = String(input).replace("/desk/api/", "");
    const name = `${init?.method ?? "GET"} ${path}`;
    const body = init?.body ? JSON.parse(String(init.body)) : null;
    sent.push([name, body]);
    const answer = await answers[name]?.(body, init?.signal ?? undefined);
    if (answer === "offline") {
      throw new TypeError("Failed to fetch");
    }
    if (answer === undefined) {
      return errorResponse(401, "logged_out");
    }
    return answer instanceof Response ? answer : Response.json(answer);
  };
  vi.stubGlobal("fetch", server);
  const page = render(<Desk />);
  const bodies = (name: string) => sent.filter(([each]) => each === name).map(([, body]) => body);
  return { ...page, bodies, names: () => sent.map(([name]) => name) };
}

const errorResponse = (status: number, code: string) =>
  Response.json({ error: { code } }, { status });
const heading = (name: string) => screen.findByRole("heading", { level: 1, name });
const button = (name: string | RegExp) => screen.getByRole("button", { name });
const user = userEvent.setup();

/** Gives the window a width, in pixels. */
function setWidth(width: number): void {
  vi.stubGlobal("matchMedia", (query: string) =>
    Object.assign(new EventTarget(), {
      matches: width >= 16 * Number(/min-width: (\d+)em/.exec(query)?.[1]),
    }),
  );
}

beforeEach(() => {
  setWidth(390);
  window.sessionStorage.clear();
  window.localStorage.clear();
  vi.spyOn(window, "scrollTo").mockImplementation(() => {});
});

afterEach(() => vi.unstubAllGlobals());

const opened = {
  me: null,
  invited: "Mei Tan",
  may_log_in: true,
  time_zone: "Asia/Singapore",
  lead: inMail,
};

test("a link survives a reload, and login deletes its key", async () => {
  const answers: Answers = {
    "POST key": () => opened,
    "POST log-in": () => ({ ...opened, me, lead }),
    [`GET leads/${ID}`]: () => lead,
  };
  const first = renderDesk("#key.of.mei", answers);
  await heading("陈伟");
  expect(screen.getByRole("link", { name: "Call 9123 4567" })).toBeTruthy();
  expect(window.location.hash).toBe(`#/leads/${ID}`);
  first.unmount();

  const again = renderDesk(`#/leads/${ID}`, answers);
  await heading("陈伟");
  expect(again.bodies("POST key")).toEqual([{ key: "key.of.mei" }]);
  await user.click(button("Continue as Mei Tan"));
  await screen.findByText(texts.whatHappened);
  const [body] = again.bodies("POST log-in");
  expect(body).toEqual({ key: "key.of.mei", browser: expect.stringMatching(/^[0-9a-f]{32}$/) });
  again.unmount();

  const later = renderDesk(`#/leads/${ID}`, answers);
  await heading(texts.logIn);
  expect(later.bodies("POST key")).toEqual([]);
});

test("a used link offers a login email", async () => {
  let failing = true;
  const { bodies } = renderDesk("#key.of.mei", {
    "POST key": () => opened,
    "POST log-in": () => (failing ? "offline" : errorResponse(403, "used_link")),
  });
  await heading("陈伟");
  await user.click(button("Continue as Mei Tan"));
  await screen.findByText(texts.errors.unreachable);
  failing = false;
  await user.click(button("Continue as Mei Tan"));
  expect(await screen.findByRole("button", { name: texts.mailTo("Mei Tan") })).toBeTruthy();
  expect(document.activeElement?.textContent).toBe(texts.notLoggedIn);
  const [one, two] = bodies("POST log-in");
  expect(one).toEqual(two);
});

test("a login link opens directly in the browser that requested it", async () => {
  const answers: Answers = {
    "POST key": (body) => ({ ...opened, may_log_in: (body as { key: string }).key === "login" }),
    "POST leads": () => ({ leads: [], next: null }),
    "POST link": () => ({ mailbox: "m…@example.com" }),
    "POST log-in": () => ({ ...opened, me, lead }),
    [`GET leads/${ID}`]: () => lead,
  };
  const first = renderDesk("#quotable", answers);
  await user.click(await screen.findByRole("button", { name: texts.mailTo("Mei Tan") }));
  await screen.findByText(texts.mailedTo("m…@example.com"));
  first.unmount();
  window.sessionStorage.clear();

  const other = renderDesk("#login", {
    ...answers,
    "POST key": () => ({ ...opened, invited: "Eve" }),
  });
  expect(await screen.findByRole("button", { name: texts.continueAs("Eve") })).toBeTruthy();
  other.unmount();
  window.sessionStorage.clear();

  const { bodies } = renderDesk("#login", { ...answers, "GET me": () => me });
  await screen.findByText(texts.whatHappened);
  expect(bodies("POST log-in")).toEqual([
    { key: "login", browser: expect.stringMatching(/^[0-9a-f]{32}$/) },
  ]);
});

test.each(["recent", "limit"] as const)("says why no login link is sent: %s", async (reason) => {
  const until = "2026-03-15T12:00:00Z";
  renderDesk("#quotable", {
    "POST key": () => ({ ...opened, may_log_in: false }),
    "POST link": () => ({ mailbox: "m…@example.com", unsent: { reason, until } }),
  });
  await user.click(await screen.findByRole("button", { name: texts.mailTo("Mei Tan") }));
  const status = await screen.findByText(/^No (new email|email was sent): .*m…@example\.com/);
  expect(status.textContent?.includes("15 Mar")).toBe(reason === "limit");
});

/** Logs in with a link, and returns when the browser has closed the page. */
async function logInOnce(): Promise<void> {
  const { unmount } = renderDesk("#key.of.mei", {
    "POST key": () => opened,
    "POST log-in": () => ({ ...opened, me, lead }),
    [`GET leads/${ID}`]: () => lead,
  });
  await user.click(await screen.findByRole("button", { name: texts.continueAs("Mei Tan") }));
  await screen.findByText(texts.whatHappened);
  unmount();
  window.sessionStorage.clear();
}

const mailedTo: Answers = { "POST link": () => ({ mailbox: "m…@example.com", unsent: null }) };
const mailButton = () => screen.findByRole("button", { name: texts.mailTo("Mei Tan") });

test("without a session, the person of the last link is offered a login email", async () => {
  await logInOnce();
  const first = renderDesk("", mailedTo);
  await heading(texts.logIn);
  screen.getByText(texts.notYou("Mei Tan"));
  expect(screen.queryByText(texts.iAmAnother)).toBeNull();
  await user.click(await mailButton());
  await screen.findByText(texts.mailedTo("m…@example.com"));
  expect(first.bodies("POST link")).toEqual([{ key: "key.of.mei" }]);
  first.unmount();

  // The link in that email logs in without a button.
  const { bodies } = renderDesk("#login", {
    "GET me": () => me,
    "POST key": () => opened,
    "POST log-in": () => ({ ...opened, me, lead }),
    [`GET leads/${ID}`]: () => lead,
  });
  await screen.findByText(texts.whatHappened);
  expect(bodies("POST log-in")).toHaveLength(1);
});

test.each(["invalid_link", "no_such_lead"] as const)(
  "a login is offered after %s",
  async (code) => {
    const answers: Answers = { ...mailedTo, "POST key": () => errorResponse(403, code) };
    const first = renderDesk("#forged", answers);
    await heading(texts.unopened[code][0]);
    expect(screen.queryByRole("button")).toBeNull();
    first.unmount();

    await logInOnce();
    const { bodies } = renderDesk("#forged", answers);
    await heading(texts.unopened[code][0]);
    await user.click(await mailButton());
    await screen.findByText(texts.mailedTo("m…@example.com"));
    expect(bodies("POST link")).toEqual([{ key: "key.of.mei" }]);
  },
);

test("an expired link requests the email, or else the last link does", async () => {
  await logInOnce();
  let tooOld: string[] = [];
  const answers: Answers = {
    "POST key": () => errorResponse(410, "expired_link"),
    "POST link": (body) =>
      tooOld.includes((body as { key: string }).key)
        ? errorResponse(410, "expired_link")
        : { mailbox: "m…@example.com", unsent: null },
  };
  const request = async () => {
    const page = renderDesk("#expired", answers);
    await heading(texts.unopened.expired_link[0]);
    await user.click(button(texts.mailNew));
    return page;
  };
  const first = await request();
  await screen.findByText(texts.mailedTo("m…@example.com"));
  expect(first.bodies("POST link")).toEqual([{ key: "expired" }]);
  first.unmount();

  tooOld = ["expired"];
  const second = await request();
  await screen.findByText(texts.mailedTo("m…@example.com"));
  expect(second.bodies("POST link")).toEqual([{ key: "expired" }, { key: "key.of.mei" }]);
  second.unmount();

  tooOld = ["expired", "key.of.mei"];
  await request();
  await screen.findByText(texts.uselessLink);
});

test("a link that can still log in is not kept, and a log-out forgets the last", async () => {
  const unused = renderDesk("#key.of.mei", { "POST key": () => opened });
  await heading("陈伟");
  unused.unmount();
  window.sessionStorage.clear();
  const empty = renderDesk("", {});
  await heading(texts.loggedOut);
  empty.unmount();

  const quotable = renderDesk("#quotable", {
    "POST key": () => ({ ...opened, may_log_in: false }),
  });
  await heading("陈伟");
  quotable.unmount();
  window.sessionStorage.clear();
  const offered = renderDesk("", {});
  await mailButton();
  offered.unmount();

  const loggingOut = renderDesk("", {
    ...loggedIn,
    "POST log-out": () => new Response(null, { status: 204 }),
  });
  await heading(texts.list);
  await user.click(button(texts.logOut));
  await heading(texts.loggedOut);
  loggingOut.unmount();
  renderDesk("", {});
  await heading(texts.loggedOut);
});

test("a colleague's link does not replace the last link of the person", async () => {
  await logInOnce();
  const ofColleague = renderDesk("#key.of.daniel", {
    ...loggedIn,
    "POST key": () => ({ ...opened, invited: "Daniel Koh", me, lead }),
  });
  await screen.findByText(texts.whatHappened);
  ofColleague.unmount();
  const { bodies } = renderDesk("", mailedTo);
  await user.click(await mailButton());
  await screen.findByText(texts.mailedTo("m…@example.com"));
  expect(bodies("POST link")).toEqual([{ key: "key.of.mei" }]);
});

const loggedIn: Answers = {
  "GET me": () => me,
  [`GET leads/${ID}`]: () => lead,
  "POST leads": () => ({ leads: [], next: null }),
};

test("a note survives a reload and a failed save", async () => {
  let offline = true;
  const answers: Answers = {
    ...loggedIn,
    [`POST leads/${ID}`]: () => (offline ? "offline" : lead),
  };
  const first = renderDesk(`#/leads/${ID}`, answers);
  await heading("陈伟");
  await user.click(button(texts.note));
  expect(document.activeElement).toBe(screen.getByLabelText(texts.noteText));
  await user.type(screen.getByLabelText(texts.noteText), "Wants C1");
  await user.click(button(texts.save));
  await screen.findByText(texts.errors.not_saved);
  first.unmount();

  const second = renderDesk(`#/leads/${ID}`, answers);
  await heading("陈伟");
  expect(screen.getByLabelText(texts.noteText)).toHaveProperty("value", "Wants C1");
  offline = false;
  await user.click(button(texts.save));
  await screen.findByText(texts.saved);
  expect(second.bodies(`POST leads/${ID}`)).toEqual([{ note: "Wants C1" }]);
  await user.click(button(texts.note));
  expect(screen.getByLabelText(texts.noteText)).toHaveProperty("value", "");
  await user.click(button(texts.cancel));
  expect(document.activeElement).toBe(button(texts.note));
});

test("the lead is reloaded on return unless a panel is open", async () => {
  const { names } = renderDesk(`#/leads/${ID}`, loggedIn);
  await heading("陈伟");
  const reads = () => names().filter((name) => name === `GET leads/${ID}`).length;
  const returnToTab = () =>
    act(async () => document.dispatchEvent(new Event("visibilitychange", { bubbles: true })));
  await returnToTab();
  await waitFor(() => expect(reads()).toBe(2));
  await user.click(button(texts.note));
  await returnToTab();
  expect(reads()).toBe(2);
});

test("logging out while offline reports the failure", async () => {
  let offline = true;
  renderDesk(`#/leads/${ID}`, {
    ...loggedIn,
    "POST log-out": () => (offline ? "offline" : new Response(null, { status: 204 })),
  });
  await heading("陈伟");
  const id = browserId.read();
  await user.click(button(texts.logOut));
  await screen.findByText(new RegExp(texts.stillLoggedIn));
  expect(browserId.read()).toBe(id);
  offline = false;
  await user.click(button(texts.retry));
  await heading(texts.loggedOut);
  // The same link does not log in this browser again.
  expect(browserId.read()).not.toBe(id);
});

test("a number without country code shows the dialled number", async () => {
  renderDesk(`#/leads/${ID}`, loggedIn);
  await heading("陈伟");
  expect(screen.getByText(texts.dials("+6591234567", true))).toBeTruthy();
  expect(screen.getByRole("link", { name: "Call 9123 4567" })).toBeTruthy();
});

test("a number with country code shows no dialled number", async () => {
  const full = { ...lead, mobile: "+65 9123 4567", dialled: null, country_code_added: false };
  renderDesk(`#/leads/${ID}`, { ...loggedIn, [`GET leads/${ID}`]: () => full });
  await screen.findByRole("link", { name: "Call +65 9123 4567" });
  expect(screen.queryByText(/Dials/)).toBeNull();
});

test("an unreadable number has no call or WhatsApp link", async () => {
  const unreadable = { ...lead, mobile: "call me", phone: null, dialled: null };
  renderDesk(`#/leads/${ID}`, { ...loggedIn, [`GET leads/${ID}`]: () => unreadable });
  await screen.findByText(texts.noNumber("call me"));
  expect(screen.queryByRole("link", { name: /Call|WhatsApp/ })).toBeNull();
});

test("a lead has links only for the channels that the visitor agreed to", async () => {
  const show = async (channels: Channel[]) => {
    const shown = { ...lead, channels };
    const page = renderDesk(`#/leads/${ID}`, { ...loggedIn, [`GET leads/${ID}`]: () => shown });
    await screen.findByText(texts.agreed(channels), { exact: false });
    const names = screen.getAllByRole("link").map(({ textContent }) => textContent);
    const isText = screen.queryByText("9123 4567") !== null;
    page.unmount();
    return { links: names.filter((name) => /Call|WhatsApp/.test(name ?? "")), isText };
  };
  const call = "Call 9123 4567";
  expect(await show(["phone", "message"])).toEqual({ links: [call, "WhatsApp"], isText: false });
  expect(await show(["phone"])).toEqual({ links: [call], isText: false });
  expect(await show(["message"])).toEqual({ links: ["WhatsApp"], isText: true });
  expect(await show([])).toEqual({ links: [], isText: true });
});

test("a fixed line has no WhatsApp link", async () => {
  const fixed = { ...lead, channels: ["phone", "message"], takes_messages: false };
  renderDesk(`#/leads/${ID}`, { ...loggedIn, [`GET leads/${ID}`]: () => fixed });
  await screen.findByRole("link", { name: "Call 9123 4567" });
  expect(screen.queryByRole("link", { name: "WhatsApp" })).toBeNull();
});

test("a link without a login says that details were corrected", async () => {
  const corrected = { ...inMail, phone: null, dialled: null, was_corrected: true };
  const show = (shown: Lead) =>
    renderDesk("#key.of.mei", { "POST key": () => ({ ...opened, lead: shown }) });
  const first = show(corrected);
  await screen.findByText(texts.wasCorrected);
  expect(screen.getByText(texts.noNumber("9123 4567"))).toBeTruthy();
  expect(screen.getByText("wei@example.com")).toBeTruthy();
  expect(screen.queryByRole("link", { name: /Call|WhatsApp|Email/ })).toBeNull();
  first.unmount();
  show(inMail);
  await heading("陈伟");
  expect(screen.queryByText(texts.wasCorrected)).toBeNull();
});

test("a lead shows that somebody with its number withdrew", async () => {
  const note = /^Somebody with this number asked us not to contact them/;
  const withdrawn: Lead = { ...lead, number_withdrawn_at: "2026-11-20T08:00:00Z" };
  const show = (shown: Lead) =>
    renderDesk(`#/leads/${ID}`, { ...loggedIn, [`GET leads/${ID}`]: () => shown });
  const first = show(withdrawn);
  expect(await screen.findByText(note)).toBeTruthy();
  expect(screen.getByRole("link", { name: "Call 9123 4567" })).toBeTruthy();
  first.unmount();
  show({ ...withdrawn, do_not_contact: true });
  await screen.findByText(texts.silent);
  expect(screen.queryByText(note)).toBeNull();
});

test("a lead shows that its visitor agreed again after a withdrawal", async () => {
  const before: Lead = {
    ...lead,
    do_not_contact: true,
    channels: ["phone"],
    submitted_at: "2026-11-21T08:00:00Z",
    withdrawn_at: "2026-11-20T08:00:00Z",
  };
  const note = /^The visitor enquired again and agreed to calls: Sat, 21 Nov/;
  const show = (shown: Lead) =>
    renderDesk(`#/leads/${ID}`, { ...loggedIn, [`GET leads/${ID}`]: () => shown });
  const first = show(before);
  expect(await screen.findByText(note)).toBeTruthy();
  expect(screen.getByText(/^The visitor withdrew their consent: Fri, 20 Nov/)).toBeTruthy();
  first.unmount();
  for (const other of [
    { ...before, channels: [] },
    { ...before, submitted_at: "2026-11-19T08:00:00Z" },
  ]) {
    const { unmount } = show(other);
    await screen.findByText(texts.silent);
    expect(screen.queryByText(note)).toBeNull();
    unmount();
  }
});

test("contact after a withdrawal is allowed with a note only", async () => {
  const withdrawn_at = "2026-11-20T08:00:00Z";
  const mine = { ...lead, do_not_contact: true };
  let shown: Lead = mine;
  const { bodies } = renderDesk(`#/leads/${ID}`, {
    ...loggedIn,
    [`GET leads/${ID}`]: () => shown,
    [`POST leads/${ID}`]: (body) => {
      const isSeen = body !== null && Object.hasOwn(body as object, "seen_withdrawn_at");
      return isSeen ? lead : errorResponse(409, "changed_meanwhile");
    },
  });
  await heading("陈伟");
  await user.click(button(texts.allow));
  await screen.findByText(texts.reallyAllow);
  // The visitor has withdrawn consent since the page was loaded.
  shown = { ...mine, withdrawn_at };
  await user.click(button(texts.allow));
  await screen.findByText(/^The visitor withdrew their consent \(.*agreed again since/);
  await user.click(button(texts.allow));
  await user.type(screen.getByLabelText(texts.agreedAgain), "At the gallery on 28 Nov");
  await user.click(button(texts.allow));
  await screen.findByRole("button", { name: texts.forbid });
  expect(bodies(`POST leads/${ID}`)).toEqual([
    { do_not_contact: false, seen: null },
    { do_not_contact: false, note: "At the gallery on 28 Nov", seen_withdrawn_at: withdrawn_at },
  ]);
});

test("an unassigned lead can be assigned", async () => {
  const mine = { ...lead, progress: { ...progress, owner: "Mei Tan" } };
  const { bodies } = renderDesk(`#/leads/${ID}`, { ...loggedIn, [`POST leads/${ID}`]: () => mine });
  await heading("陈伟");
  expect(screen.queryByRole("button", { name: texts.give })).toBeNull();
  await user.click(button(texts.assign));
  await user.click(button("Daniel Koh"));
  await screen.findByRole("button", { name: texts.give });
  expect(bodies(`POST leads/${ID}`)).toEqual([{ owner: "Daniel Koh", seen: null }]);
});

const visit = (hash: string) =>
  act(async () => {
    window.location.hash = hash;
    window.dispatchEvent(new Event("hashchange"));
  });

test("an invalid link does not block the list", async () => {
  renderDesk("", {
    ...loggedIn,
    "POST leads": () => ({ leads: [], next: null }),
    "POST key": () => errorResponse(403, "invalid_link"),
  });
  await heading(texts.list);
  await visit("#forged.key");
  await heading(texts.unopened.invalid_link[0]);
  expect(screen.getByRole("link", { name: texts.toList })).toBeTruthy();
  await visit("#/leads");
  await heading(texts.list);
});

function row(number: number, next_step_at: string | null = null): Row {
  return {
    ...lead,
    progress: { ...progress, next_step_at },
    erasure_requested_at: null,
    id: `${number}${ID.slice(1)}`,
    name: `Visitor ${number}`,
  };
}

/** Whether a request for a list asks for one of the sections. */
function isSection(body: unknown): boolean {
  const names = Object.keys(body as object);
  return ["due", "mine", "erasure_requested"].some((name) => names.includes(name));
}

test("requests for erasure come first, oldest first, and once", async () => {
  const asked = (number: number, at: string) => ({ ...row(number), erasure_requested_at: at });
  const toErase = [asked(1, "2026-11-23T09:00:00Z"), asked(2, "2026-11-20T09:00:00Z")];
  renderDesk("", {
    ...loggedIn,
    "POST leads": (body) => {
      const { due, mine, erasure_requested } = body as Record<string, unknown>;
      if (erasure_requested === true) {
        return { leads: toErase, next: null };
      }
      if (due === true) {
        return { leads: [toErase[0]], next: null };
      }
      return { leads: mine === true ? [] : [row(3), ...toErase], next: null };
    },
  });
  await screen.findByText("Visitor 3");
  const shown = screen.getAllByText(/^Visitor/).map((each) => each.textContent);
  expect(shown).toEqual(["Visitor 2", "Visitor 1", "Visitor 3"]);
  screen.getByRole("heading", { name: `${texts.toErase} 2` });
});

test("a lead in the list shows the time to its first contact", async () => {
  const contacted: Progress = {
    ...progress,
    state: "contacted",
    contacted_at: "2026-11-24T10:30:00Z",
  };
  renderDesk("", {
    ...loggedIn,
    "POST leads": (body) =>
      isSection(body)
        ? { leads: [], next: null }
        : { leads: [row(1), { ...row(2), progress: contacted }], next: null },
  });
  await screen.findByText(texts.firstContact("2h"), { exact: false });
  expect(screen.getAllByText(/First contact/)).toHaveLength(1);
});

test("the list on a wide screen is a table with one link in a row", async () => {
  setWidth(1440);
  const plan = { id: "C2N", name: "C2N", names: { en: "C2N", zh: "C2N" } };
  const closed: Progress = {
    ...progress,
    state: "closed",
    owner: "Daniel Koh",
    closing_reason: "bought",
  };
  const leads: Row[] = [
    { ...row(1), plan, source: "google", campaign: "launch-2026" },
    { ...row(2), homes, progress: closed },
  ];
  renderDesk("#/leads?source=google", {
    ...loggedIn,
    "POST leads": (body) => ({ leads: isSection(body) ? [] : leads, next: null }),
  });
  const open = await screen.findByRole("table", { name: texts.untouched });
  const finished = screen.getByRole("table", { name: texts.finished });
  expect(within(open).getAllByRole("link")).toHaveLength(1);
  const cellsOf = (table: HTMLElement) => {
    const [, first] = within(table).getAllByRole("row");
    return [...(first?.children ?? [])].slice(0, -1).map((cell) => cell.textContent);
  };
  expect(cellsOf(open)).toEqual([
    "Visitor 1",
    "C2N\u00a0· Show flat",
    "googlelaunch-2026",
    texts.whoseIs(""),
    texts.states.new,
    "",
  ]);
  expect(cellsOf(finished).slice(1)).toEqual([
    "3 or 4 bedrooms, to live in\u00a0· Show flat",
    "",
    "Daniel Koh",
    `${texts.states.closed}${texts.reasons.bought}`,
    "",
  ]);
});

test("filters in the address reach the server, and their chips remove them", async () => {
  const { bodies } = renderDesk("#/leads?campaign=launch-2026&plan=B1&plan=B2", {
    ...loggedIn,
    "POST leads": (body) => ({ leads: isSection(body) ? [] : [row(1)], next: null }),
    [`GET leads/${row(1).id}`]: () => lead,
  });
  await screen.findByText(texts.foundCount(1, true));
  const filter = { campaign: "launch-2026", plans: ["B1", "B2"] };
  expect(bodies("POST leads")).toEqual([
    { ...filter, after: "" },
    { ...filter, due: true, after: "" },
    { ...filter, erasure_requested: true, after: "" },
  ]);
  await visit(`#/leads/${row(1).id}`);
  const back = await screen.findByRole("link", { name: texts.list });
  await visit(back.getAttribute("href") ?? "");
  expect(window.location.hash).toBe("#/leads?campaign=launch-2026&plan=B1&plan=B2");
  const chip = screen.getByRole("link", { name: texts.filters.remove("Plan: B1, B2") });
  await visit(chip.getAttribute("href") ?? "");
  expect(window.location.hash).toBe("#/leads?campaign=launch-2026");
  await waitFor(() =>
    expect(bodies("POST leads")).toContainEqual({ campaign: "launch-2026", after: "" }),
  );
  expect(screen.queryByText("Plan: B1, B2")).toBeNull();
});

test("a plan is chosen as a filter", async () => {
  renderDesk("#/leads?source=", {
    ...loggedIn,
    "POST leads": (body) => ({ leads: isSection(body) ? [] : [row(1)], next: null }),
  });
  await screen.findByText("Visitor 1");
  expect(screen.getByLabelText(texts.filters.source)).toHaveProperty("value", "=");
  await user.selectOptions(screen.getByLabelText(texts.filters.plan), "C2N");
  expect(window.location.hash).toBe("#/leads?source=&plan=C2N");
  await user.selectOptions(screen.getByLabelText(texts.filters.plan), texts.filters.any);
  expect(window.location.hash).toBe("#/leads?source=");
});

test("the list offers a call only with consent to calls", async () => {
  const [number, name] = ["+6591234567", "Call +6591234567"];
  const leads: Row[] = [
    { ...row(1), channels: ["phone"] },
    { ...row(2), channels: ["message"] },
    { ...row(3), channels: [] },
    { ...row(4), do_not_contact: true, channels: [] },
  ];
  renderDesk("", {
    ...loggedIn,
    "POST leads": (body) =>
      "due" in (body as object) || "mine" in (body as object)
        ? { leads: [], next: null }
        : { leads, next: null },
  });
  await screen.findByText("Visitor 1");
  const contacts = screen.getAllByRole("listitem").map((item) => ({
    call: within(item).queryByRole("link", { name }) !== null,
    text: within(item).queryByText(new RegExp(`^\\${number}.* registry first`))?.textContent,
  }));
  expect(contacts).toEqual([
    { call: true },
    { call: false, text: `${number}\u00a0· ${texts.agreed(["message"])} ${texts.dnc.missing}` },
    { call: false, text: `${number}\u00a0· ${texts.agreed([])} ${texts.dnc.missing}` },
    { call: false },
  ]);
});

test("due leads are sorted, and the list is kept behind a lead", async () => {
  const late = row(2, "2026-11-24T09:00:00Z");
  const early = row(3, "2026-11-23T09:00:00Z");
  renderDesk("", {
    ...loggedIn,
    "POST leads": (body) => {
      const { due, search, after, mine, erasure_requested } = body as Record<string, unknown>;
      if (search !== undefined) {
        return { leads: [row(1)], next: null };
      }
      if (mine === true || erasure_requested === true) {
        return { leads: [], next: null };
      }
      if (due !== true) {
        return { leads: [row(1), late], next: null };
      }
      return after === "" ? { leads: [late, early], next: null } : { leads: [], next: null };
    },
    [`GET leads/${row(1).id}`]: () => lead,
  });
  await heading(texts.list);
  const shown = () => screen.getAllByText(/^Visitor/).map((each) => each.textContent);
  await screen.findByText("Visitor 1");
  expect(shown()).toEqual(["Visitor 3", "Visitor 2", "Visitor 1"]);
  expect(document.title).toBe(`${texts.list} · ${texts.title}`);

  await user.type(screen.getByLabelText(texts.search), "1");
  expect(screen.queryByText("Visitor 2")).toBeNull();
  await screen.findByText(texts.foundCount(1, true));
  await visit(`#/leads/${row(1).id}`);
  await heading("陈伟");
  expect(document.title).toBe(`ZG-7F3K-2Q · ${texts.title}`);
  await visit("#/leads");
  expect(shown()).toEqual(["Visitor 1"]);
  expect(screen.getByLabelText(texts.search)).toHaveProperty("value", "1");
});

test("two thousand due leads take one request, and one more for the next page", async () => {
  const at = (index: number) => new Date(Date.UTC(2026, 0, 1) + index * 60_000).toISOString();
  const all = Array.from({ length: 2000 }, (_, index) => ({
    ...row(1, at(index)),
    id: `${ID.slice(0, -4)}${String(index).padStart(4, "0")}`,
    name: `Visitor ${index}`,
  }));
  const { bodies } = renderDesk("", {
    ...loggedIn,
    "POST leads": (body) => {
      const { due, mine, erasure_requested, after } = body as Record<string, unknown>;
      if (mine === true || erasure_requested === true) {
        return { leads: [], next: null };
      }
      const start = Number(after);
      // All leads, newest first, are due too.
      const listed = due === true ? all : [...all].reverse();
      return { leads: listed.slice(start, start + 50), next: String(start + 50) };
    },
  });
  const due = texts.due;
  await screen.findByRole("heading", { name: `${due} 50+` });
  expect(bodies("POST leads")).toHaveLength(4);
  // The newest due lead is in no other section.
  expect(screen.queryByText("Visitor 1999")).toBeNull();
  await user.click(screen.getByRole("button", { name: texts.moreOf(due) }));
  await screen.findByRole("heading", { name: `${due} 100+` });
  screen.getByText("Visitor 99");
  expect(bodies("POST leads").slice(4)).toEqual([{ due: true, after: "50" }]);
});

test("a lead's age is red after the minutes of the routes", async () => {
  const submitted = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();
  const leads: Row[] = [
    { ...row(1), submitted_at: submitted(25) },
    { ...row(2), submitted_at: submitted(35) },
  ];
  renderDesk("", {
    ...loggedIn,
    "GET me": () => ({ ...me, reminder_minutes: 30 }),
    "POST leads": (body) => ({ leads: isSection(body) ? [] : leads, next: null }),
  });
  await screen.findByText("Visitor 1");
  const late = screen.getAllByText(texts.notContacted);
  expect(late.map((each) => each.closest("time")?.dateTime)).toEqual([leads[1]?.submitted_at]);
});

test("the brochure is sent in batches with its progress", async () => {
  const user = userEvent.setup({ advanceTimers: vi.advanceTimersByTime });
  vi.useFakeTimers({ shouldAdvanceTime: true });
  const counts = {
    asked: 640,
    do_not_contact: 3,
    waiting: 0,
    delivered: 100,
    failed: 0,
    left: 537,
  };
  const posts = [
    { ...counts, waiting: 500, left: 37 },
    { ...counts, waiting: 537, left: 0 },
  ];
  let polled = counts;
  const { bodies } = renderDesk("", {
    ...loggedIn,
    "POST leads": () => ({ leads: [{ ...row(1), interests: ["brochure"] }], next: null }),
    "GET brochure": () => polled,
    "POST brochure/test": () => new Response(null, { status: 204 }),
    "POST brochure": () => posts.shift() ?? {},
  });
  await heading(texts.list);
  await user.click(button(texts.sendBrochure));
  const send = await screen.findByRole("button", { name: texts.brochure.send(537) });
  expect(send.getAttribute("aria-disabled")).toBe("true");
  await user.click(send);
  screen.getByText(texts.brochure.testFirst);
  await user.click(button(texts.brochure.test));
  await screen.findByText(texts.brochure.tested);
  expect(screen.queryByText(texts.brochure.testFirst)).toBeNull();
  // One test is enough, also after the panel was closed.
  await user.click(button(texts.brochure.close));
  await user.click(button(texts.sendBrochure));
  expect(bodies("POST brochure")).toEqual([]);
  expect(bodies("POST brochure/test")).toEqual([{ lead: row(1).id }]);
  polled = { ...counts, waiting: 537, left: 0 };
  await user.click(button(texts.brochure.send(537)));
  await screen.findByText(texts.brochure.progress(0, 537, 0));
  polled = { ...counts, waiting: 36, delivered: 600, failed: 1, left: 0 };
  await screen.findByText(texts.brochure.progress(500, 537, 1));
  polled = { ...counts, delivered: 636, failed: 1, left: 0 };
  await screen.findByText(new RegExp(`536 of 537 sent.*${texts.brochure.done}`));
  expect(bodies("POST brochure")).toEqual([{}, {}]);
  vi.useRealTimers();
});

test("the test of the brochure finds a lead that the list does not show", async () => {
  const asks = { ...row(2), interests: ["brochure" as const] };
  const counts = { asked: 1, do_not_contact: 0, waiting: 0, delivered: 0, failed: 0, left: 1 };
  let later: Row[] = [asks];
  const answers: Answers = {
    ...loggedIn,
    "POST leads": (body) => {
      const asksForBrochure = (body as { interest?: string }).interest === "brochure";
      const leads = asksForBrochure ? later : [row(1)];
      return { leads: isSection(body) ? [] : leads, next: null };
    },
    "GET brochure": () => counts,
    "POST brochure/test": () => new Response(null, { status: 204 }),
  };
  const first = renderDesk("", answers);
  await heading(texts.list);
  await user.click(button(texts.sendBrochure));
  await user.click(await screen.findByRole("button", { name: texts.brochure.test }));
  await screen.findByText(texts.brochure.tested);
  expect(first.bodies("POST brochure/test")).toEqual([{ lead: asks.id }]);
  first.unmount();

  // Without any such lead there is no test, and nothing to wait for.
  later = [];
  renderDesk("", answers);
  await heading(texts.list);
  await user.click(button(texts.sendBrochure));
  const send = await screen.findByRole("button", { name: texts.brochure.send(1) });
  await waitFor(() => expect(send.getAttribute("aria-disabled")).toBe("false"));
  expect(screen.queryByText(texts.brochure.testFirst)).toBeNull();
});

test("a call is recorded with the next call and can be undone", async () => {
  const contacted = { ...progress, state: "contacted", owner: "Mei Tan" };
  const after = { ...lead, progress: { ...contacted, changed_at: "2026-11-25T08:00:00Z" } };
  const { bodies } = renderDesk(`#/leads/${ID}`, {
    ...loggedIn,
    [`POST leads/${ID}`]: () => after,
    "POST leads": () => ({ leads: [row(3), { ...row(2), id: ID }], next: null }),
  });
  await heading("陈伟");
  await user.click(button(texts.called));
  await user.type(screen.getByLabelText(texts.whatSaid), "Wants C1");
  await user.click(screen.getByLabelText(texts.notNeeded));
  await user.click(button(texts.save));
  await screen.findByText(texts.nowYours);
  expect(screen.getByText(texts.yours, { exact: false })).toBeTruthy();
  expect(await screen.findByRole("link", { name: texts.nextDue("Visitor 3") })).toBeTruthy();
  await user.click(button(texts.undo));
  await waitFor(() => expect(screen.queryByText(texts.nowYours)).toBeNull());
  await screen.findByText(texts.saved);
  expect(bodies(`POST leads/${ID}`)).toEqual([
    { state: "contacted", note: "Wants C1", owner: "Mei Tan", seen: null },
    { state: "new", owner: "", seen: "2026-11-25T08:00:00Z" },
  ]);
});

test("of two people who record a call, the second reads whose lead it is", async () => {
  const first: Progress = {
    ...progress,
    state: "contacted",
    owner: "Daniel Koh",
    contacted_at: "2026-11-25T08:00:00Z",
    changed_at: "2026-11-25T08:00:00Z",
  };
  let shown = lead;
  const { bodies } = renderDesk(`#/leads/${ID}`, {
    ...loggedIn,
    [`GET leads/${ID}`]: () => shown,
    [`POST leads/${ID}`]: (body) =>
      (body as Change).seen === null ? errorResponse(409, "changed_meanwhile") : shown,
  });
  await heading("陈伟");
  await user.click(button(texts.noAnswer));
  await user.click(screen.getByLabelText(texts.notNeeded));
  shown = {
    ...lead,
    progress: first,
    timeline: [{ at: "2026-11-25T08:00:00Z", event: "progressed", client: "Daniel Koh", ...first }],
  };
  await user.click(button(texts.save));
  await screen.findByText(texts.errors.changed_meanwhile("Daniel Koh"));
  const status = document.querySelector(".desk-standing");
  expect(status?.textContent).toContain(texts.whoseIs("Daniel Koh"));
  await user.click(button(texts.save));
  await screen.findByText(texts.saved);
  expect(bodies(`POST leads/${ID}`)).toEqual([
    { state: "new", note: texts.noAnswer, owner: "Mei Tan", seen: null },
    { state: "contacted", note: texts.noAnswer, seen: first.changed_at },
  ]);
});

test("an undo that ends after the time for it cannot be undone", async () => {
  const user = userEvent.setup({ advanceTimers: vi.advanceTimersByTime });
  vi.useFakeTimers({ shouldAdvanceTime: true });
  const changed = (state: State, changed_at: string) => ({
    ...lead,
    progress: { ...progress, state, changed_at },
  });
  let answerUndo: (undone: Response) => void = () => {};
  const { bodies } = renderDesk(`#/leads/${ID}`, {
    ...loggedIn,
    [`POST leads/${ID}`]: (body) =>
      (body as Change).state === "new"
        ? new Promise<Response>((resolve) => {
            answerUndo = resolve;
          })
        : changed("contacted", "2026-11-25T08:00:00Z"),
  });
  await heading("陈伟");
  await user.click(button(texts.called));
  await user.click(screen.getByLabelText(texts.notNeeded));
  await user.click(button(texts.save));
  await user.click(await screen.findByRole("button", { name: texts.undo }));
  await waitFor(() => expect(bodies(`POST leads/${ID}`)).toHaveLength(2));
  await user.click(document.body);
  await act(async () => void vi.advanceTimersByTime(20_000));
  await act(async () => answerUndo(Response.json(changed("new", "2026-11-25T08:00:30Z"))));
  await screen.findByText(texts.saved);
  expect(screen.queryByRole("button", { name: texts.undo })).toBeNull();
  vi.useRealTimers();
});

test("an erased lead leads to the list", async () => {
  renderDesk(`#/leads/${ID}`, {
    ...loggedIn,
    [`GET leads/${ID}`]: () => errorResponse(404, "no_such_lead"),
  });
  await heading(texts.leadMissing);
  expect(screen.queryByRole("button", { name: texts.retry })).toBeNull();
  const toList = within(screen.getByRole("alert")).getByRole("link", { name: texts.toList });
  expect(toList.getAttribute("href")).toBe("#/leads");
});

test("related enquiries are links, also by reference", async () => {
  const other: Lead = { ...lead, id: row(2).id, name: "Rachel Lim" };
  const shown: Lead = {
    ...lead,
    same_number: ["ZG-AAAA-AA", "ZG-BBBB-BB"],
    timeline: [{ at: "2026-11-24T08:00:00Z", event: "submitted" }],
    related: [
      {
        lead_id: row(3).id,
        reference: "ZG-CCCC-CC",
        submitted_at: "2026-11-20T08:00:00Z",
        interests: [],
        state: "closed",
      },
    ],
  };
  renderDesk(`#/leads/${ID}`, {
    ...loggedIn,
    [`GET leads/${ID}`]: () => shown,
    "GET leads/ZG-BBBB-BB": () => other,
    [`GET leads/${other.id}`]: () => other,
  });
  await heading("陈伟");
  const target = (name: RegExp) => screen.getByRole("link", { name }).getAttribute("href");
  expect(target(/ZG-CCCC-CC/)).toBe(`#/leads/${row(3).id}`);
  expect(target(/ZG-AAAA-AA/)).toBe("#/leads/ZG-AAAA-AA");
  await visit("#/leads/ZG-BBBB-BB");
  await heading("Rachel Lim");
  await waitFor(() => expect(window.location.hash).toBe(`#/leads/${other.id}`));
});

test("a state that the page does not know leaves the list usable", async () => {
  const future = {
    ...row(1),
    progress: { ...progress, state: "on_hold", next_step_at: "2030-06-01T07:00:00Z" },
  };
  renderDesk("", {
    ...loggedIn,
    "POST leads": (body) => ({
      leads: Object.keys(body as object).length === 1 ? [future, row(2)] : [],
      next: null,
    }),
  });
  await screen.findByText("Visitor 1");
  expect(screen.getByText("Visitor 2")).toBeTruthy();
  expect(screen.getByText(/1 Jun 2030/)).toBeTruthy();
});

test("values that the page does not know leave a lead usable", async () => {
  const at = "2026-11-24T08:00:00Z";
  const unknown = { ...progress, state: "on_hold", next_step_at: "2030-06-01T07:00:00Z" };
  const change = { ...unknown, changed_at: at };
  const future = {
    ...lead,
    interests: ["parking"],
    signals: ["bot"],
    channels: ["video"],
    progress: { ...change, closing_reason: "moved" },
    related: [
      {
        lead_id: row(2).id,
        reference: "ZG-AAAA-AA",
        submitted_at: at,
        interests: [],
        state: "on_hold",
      },
    ],
    timeline: [
      { at, event: "teleported", client: "Mei Tan" },
      { at, event: "entered", client: "Mei Tan", consent_means: "video" },
      { at, event: "progressed", client: "Mei Tan", ...change, closing_reason: "moved" },
      { at, event: "dnc_checked", client: "Mei Tan", check: { checked_at: at, listed: ["video"] } },
    ],
  };
  renderDesk(`#/leads/${ID}`, { ...loggedIn, [`GET leads/${ID}`]: () => future });
  await heading("陈伟");
  screen.getByText(texts.whatHappened);
  expect(screen.queryByText(texts.crashed)).toBeNull();
});

test("an error in a lead leaves the list usable", async () => {
  vi.spyOn(console, "error").mockImplementation(() => {});
  renderDesk(`#/leads/${ID}`, {
    ...loggedIn,
    [`GET leads/${ID}`]: () => ({ ...lead, timeline: null }),
  });
  await screen.findByText(texts.crashed);
  await visit("#/leads");
  await heading(texts.list);
  expect(screen.queryByText(texts.crashed)).toBeNull();
});

test("a search aborts the one before, and keeps its results until the next", async () => {
  const searches: { search: string; signal: AbortSignal; answer: (page: Response) => void }[] = [];
  renderDesk("", {
    ...loggedIn,
    "POST leads": (body, signal) => {
      const { search } = body as { search?: string };
      return search === undefined || signal === undefined
        ? { leads: [], next: null }
        : new Promise<Response>((answer) => searches.push({ search, signal, answer }));
    },
  });
  await heading(texts.list);
  const found = (number: number) => Response.json({ leads: [row(number)], next: null });
  const field = screen.getByLabelText(texts.search);
  await user.type(field, "1");
  await waitFor(() => expect(searches).toHaveLength(1));
  await act(async () => searches[0]?.answer(found(1)));
  await screen.findByText("Visitor 1");
  await user.type(field, "2");
  expect(screen.getByText("Visitor 1")).toBeTruthy();
  expect(screen.queryByText(texts.loading)).toBeNull();
  await waitFor(() => expect(searches).toHaveLength(2));
  await user.type(field, "3");
  await waitFor(() => expect(searches).toHaveLength(3));
  expect(searches.map(({ signal }) => signal.aborted)).toEqual([false, true, false]);
  await act(async () => searches[2]?.answer(found(2)));
  await screen.findByText("Visitor 2");
  expect(screen.queryByText("Visitor 1")).toBeNull();
});

test("a missed call keeps a planned visit", async () => {
  const booked: Lead = {
    ...lead,
    progress: {
      ...progress,
      state: "visit_booked",
      owner: "Daniel Koh",
      next_step_at: "2030-06-01T07:00:00Z",
    },
  };
  const { bodies } = renderDesk(`#/leads/${ID}`, {
    ...loggedIn,
    [`GET leads/${ID}`]: () => booked,
    [`POST leads/${ID}`]: () => booked,
  });
  await heading("陈伟");
  await user.click(button(texts.noAnswer));
  expect(screen.queryByLabelText(texts.tomorrow)).toBeNull();
  await user.click(button(texts.save));
  await screen.findByText(texts.saved);
  expect(bodies(`POST leads/${ID}`)).toEqual([{ note: texts.noAnswer }]);
});

test("marking a lead invalid needs confirmation, and the lead can be reopened", async () => {
  const seen = "2026-11-25T08:00:00Z";
  const invalid: Lead = {
    ...lead,
    progress: { ...progress, state: "invalid", changed_at: seen },
  };
  const { bodies, container } = renderDesk(`#/leads/${ID}`, {
    ...loggedIn,
    [`POST leads/${ID}`]: () => invalid,
  });
  await heading("陈伟");
  await user.click(button(texts.markInvalid));
  expect(screen.getByText(texts.reallyNot)).toBeTruthy();
  await user.click(button(texts.cancel));
  expect(bodies(`POST leads/${ID}`)).toEqual([]);
  await user.click(button(texts.markInvalid));
  await user.click(button(texts.yesInvalid));
  await user.click(await screen.findByRole("button", { name: texts.reopen }));
  await waitFor(() => expect(bodies(`POST leads/${ID}`)).toHaveLength(2));
  expect(bodies(`POST leads/${ID}`)).toEqual([
    { state: "invalid", seen: null },
    { state: "contacted", seen },
  ]);
  const actions = [...container.querySelectorAll(".desk-actions .desk-buttons button")];
  expect(actions.map(({ textContent }) => textContent)).toEqual([
    texts.reopen,
    texts.note,
    texts.forbid,
  ]);
});

test("the history of a corrected number shows both numbers", async () => {
  const numbers = { from: "9123 4567", to: "8123 4567" };
  const corrected = { at: "2026-11-25T08:00:00Z", event: "number_corrected", client: "Mei Tan" };
  const { bodies } = renderDesk(`#/leads/${ID}`, {
    ...loggedIn,
    [`POST leads/${ID}`]: () => ({
      ...lead,
      mobile: "8123 4567",
      timeline: [{ ...corrected, ...numbers }],
    }),
  });
  await heading("陈伟");
  await user.click(button(texts.correct));
  const mobile = screen.getByLabelText(texts.fields.mobile);
  expect(mobile).toHaveProperty("value", "9123 4567");
  await user.clear(mobile);
  await user.type(mobile, "8123 4567");
  await user.click(button(texts.save));
  await screen.findByRole("link", { name: "Call 8123 4567" });
  const told = texts.said("Mei Tan", texts.corrected.number_corrected("9123 4567", "8123 4567"));
  expect(screen.getByText(told)).toBeTruthy();
  expect(bodies(`POST leads/${ID}`)).toEqual([{ mobile: "8123 4567", seen: null }]);
});

test("name and email address are corrected together", async () => {
  const { bodies } = renderDesk(`#/leads/${ID}`, {
    ...loggedIn,
    [`POST leads/${ID}`]: () => ({ ...lead, name: "Chen Wei", email: "chen@example.com" }),
  });
  await heading("陈伟");
  await user.click(button(texts.correct));
  const name = screen.getByLabelText(texts.fields.name);
  const email = screen.getByLabelText(texts.fields.email);
  expect(email).toHaveProperty("value", "wei@example.com");
  await user.clear(name);
  await user.type(name, "Chen Wei");
  await user.clear(email);
  await user.type(email, "chen@example.com");
  await user.click(button(texts.save));
  await heading("Chen Wei");
  expect(screen.getByText("chen@example.com")).toBeTruthy();
  expect(bodies(`POST leads/${ID}`)).toEqual([
    { name: "Chen Wei", email: "chen@example.com", seen: null },
  ]);
});

test("a new lead keeps its key until the form changes", async () => {
  let failing = true;
  const { bodies } = renderDesk("#/new", {
    ...loggedIn,
    "POST new-lead": () => (failing ? "offline" : lead),
  });
  await heading(texts.newLead);
  await user.type(screen.getByLabelText(texts.fields.name), "陈伟");
  await user.type(screen.getByLabelText(texts.fields.mobile), "9123 4567");
  await user.type(screen.getByLabelText(texts.fields.email), "wei@example.com");
  await user.click(screen.getByLabelText(texts.interests.showflat));
  await user.click(screen.getByLabelText(texts.languages.zh));
  await user.click(button(texts.save));
  expect(bodies("POST new-lead")).toEqual([]);
  await user.click(screen.getByLabelText(texts.privacyAccepted));
  await user.click(screen.getByLabelText(texts.mayContact.phone));
  await user.click(screen.getByLabelText(texts.consentMeans.signed_form));
  await user.click(button(texts.save));
  await screen.findByText(texts.errors.unreachable);
  await user.click(button(texts.save));
  await waitFor(() => expect(bodies("POST new-lead")).toHaveLength(2));
  failing = false;
  await user.type(screen.getByLabelText(texts.fields.questions), "Parking?");
  await user.click(button(texts.save));
  await waitFor(() => expect(window.location.hash).toBe(`#/leads/${ID}`));
  const sent = bodies("POST new-lead") as { key: string }[];
  expect(sent[0]).toEqual({
    key: expect.stringMatching(/^[0-9a-f]{32}$/),
    name: "陈伟",
    mobile: "9123 4567",
    email: "wei@example.com",
    questions: "",
    interests: ["showflat"],
    language: "zh",
    channels: ["phone"],
    privacy_accepted: true,
    consent_means: "signed_form",
    confirm: true,
  });
  expect(Object.keys(sent[0] ?? {}).toSorted()).toEqual(Object.keys(newLead).toSorted());
  expect(sent[1]).toEqual(sent[0]);
  expect(sent[2]).toMatchObject({ questions: "Parking?" });
  expect(sent[2]?.key).not.toBe(sent[0]?.key);
});

test("a new lead has an input for every field", async () => {
  renderDesk("#/new", loggedIn);
  await heading(texts.newLead);
  const inputs: Record<string, string> = { questions: "note", privacy_accepted: "privacy" };
  const fields = Object.keys(newLead).filter((field) => field !== "key");
  const missing = fields.filter(
    (field) => document.querySelector(`form [name="${inputs[field] ?? field}"]`) === null,
  );
  expect(missing).toEqual([]);
});

test("a result of the Do Not Call registry is recorded for the day in the team's time zone", async () => {
  const refused: Lead = { ...lead, channels: ["phone"] };
  const check = { checked_at: "2026-11-23T16:00:00.000Z", listed: ["message"] } satisfies DncCheck;
  const { bodies } = renderDesk(`#/leads/${ID}`, {
    ...loggedIn,
    [`GET leads/${ID}`]: () => refused,
    [`POST leads/${ID}`]: () => ({
      ...refused,
      dnc_check: { ...check, checked_at: new Date().toISOString() },
    }),
  });
  await screen.findByText(texts.dnc.missing, { exact: false });
  await user.click(button(texts.dnc.record));
  fireEvent.change(screen.getByLabelText(texts.dnc.day), { target: { value: "2026-11-24" } });
  await user.click(screen.getByLabelText(texts.dnc.listedFor.message));
  await user.click(button(texts.save));
  await screen.findByText(/lists this number for text messages/);
  expect(bodies(`POST leads/${ID}`)).toEqual([{ dnc_check: check }]);
});

const plan: Lead["plan"] = {
  id: "B2",
  name: "两卧房豪华型 B2",
  names: { en: "2 Bedroom Deluxe B2", zh: "两卧房豪华型 B2" },
  area: "829",
};

const homes = { en: "3 or 4 bedrooms, to live in", zh: "三至四卧房，自住" };

test("a lead shows plan, homes and visit times in the reader's language", async () => {
  const visit_times: Lead["visit_times"] = [
    { id: "weekday-evenings", name: { en: "weekday evenings", zh: "平日傍晚" } },
    { id: "weekend-mornings", name: { en: "weekend mornings", zh: "周末上午" } },
  ];
  renderDesk(`#/leads/${ID}`, {
    ...loggedIn,
    [`GET leads/${ID}`]: () => ({ ...lead, plan, homes, visit_times }),
  });
  const heading = await screen.findByRole("heading", { level: 1, name: "陈伟" });
  const facts = [...(heading.parentElement?.querySelectorAll(".desk-fact") ?? [])];
  expect(facts.map((fact) => fact.textContent)).toEqual([
    "2 Bedroom Deluxe B2\u00a0· 829 sq ft",
    "Home: 3 or 4 bedrooms, to live in",
    "Can visit: weekday evenings, weekend mornings",
  ]);
});

test("WhatsApp opens with a greeting in the visitor's language", async () => {
  renderDesk(`#/leads/${ID}`, {
    ...loggedIn,
    [`GET leads/${ID}`]: () => ({ ...lead, plan }),
  });
  const whatsapp = await screen.findByRole("link", { name: texts.whatsapp });
  expect(new URL(whatsapp.getAttribute("href") ?? "").searchParams.get("text")).toBe(
    "陈伟，您好！我是 Zyon Grand 的 Mei Tan，感谢您的关注（ZG-7F3K-2Q）。您想了解两卧房豪华型 B2，请问何时方便与您通话？",
  );
});
