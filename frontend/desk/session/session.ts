import {
  MutationCache,
  QueryCache,
  QueryClient,
  queryOptions,
  useQuery,
} from "@tanstack/react-query";
import { api, hasCode, type LinkFailure, linkFailureOf, type Me, type Opened } from "#desk/api.ts";
import { language } from "#desk/language.ts";
import { inWords } from "#desk/time.ts";
import { browserId, type LoginLink, lastLink, linkKey, loginRequest } from "./storage.ts";

/** The session of this browser. `last` is the last link of its person. */
export type Session =
  | { state: "logged-in"; me: Me; last: LoginLink | null }
  /** Not logged in: the lead has only the content of its email. */
  | { state: "mail"; opened: Opened; key: string }
  | {
      state: "logged-out";
      /** Absent if no link was opened. */
      failure?: LinkFailure;
      /** The expired link, which may still request an email. */
      expiredKey?: string;
      last: LoginLink | null;
    };

export const sessionQuery = queryOptions({
  queryKey: ["session"],
  staleTime: Number.POSITIVE_INFINITY,
  queryFn: async ({ client }): Promise<Session> => {
    const last = lastLinkIn(client);
    if (isLink(window.location.hash)) {
      return openLink(window.location.hash.slice(1), last);
    }
    try {
      return { state: "logged-in", me: await api.me(), last };
    } catch (error) {
      if (!hasCode(error, "logged_out")) {
        throw error;
      }
      // The page was reloaded before a login.
      const key = linkKey.read();
      return key === null ? { state: "logged-out", last } : openLink(key, last);
    }
  },
});

/** Storage may be blocked, so the link is also in the session. */
function lastLinkIn(client: QueryClient): LoginLink | null {
  const session = client.getQueryData<Session>(["session"]);
  const last = session && "last" in session ? session.last : null;
  return last ?? lastLink.read();
}

/** Whether a fragment is the key of a magic link instead of a page. */
export function isLink(hash: string): boolean {
  return hash !== "" && !hash.startsWith("#/");
}

async function openLink(key: string, last: LoginLink | null): Promise<Session> {
  try {
    let opened = await api.open(key);
    if (opened.may_log_in && loginRequest.isFor(opened.invited)) {
      // If the login fails, the button remains.
      opened = await api.logIn(key, browserId.read()).catch(() => opened);
      loginRequest.forget();
    }
    linkKey.keep(key);
    // Replaces the entry, so the history does not contain the key.
    window.history.replaceState(null, "", `#/leads/${opened.lead.id}`);
    if (opened.me !== null) {
      return loggedIn(opened.me, { key, person: opened.invited }, last);
    }
    if (!opened.may_log_in) {
      lastLink.keep({ key, person: opened.invited });
    }
    return { state: "mail", opened, key };
  } catch (error) {
    const failure = linkFailureOf(error);
    if (failure === "expired_link") {
      return { state: "logged-out", failure, expiredKey: key, last };
    }
    if (failure === null || (await isLoggedIn())) {
      throw error;
    }
    return { state: "logged-out", failure, last };
  }
}

async function isLoggedIn(): Promise<boolean> {
  try {
    await api.me();
    return true;
  } catch (error) {
    return !hasCode(error, "logged_out");
  }
}

/** @param opened the link that logged in, or that a logged-in person opened: it may be a colleague's */
export function loggedIn(me: Me, opened: LoginLink, last: LoginLink | null): Session {
  linkKey.forget();
  if (opened.person !== me.name) {
    return { state: "logged-in", me, last };
  }
  lastLink.keep(opened);
  return { state: "logged-in", me, last: opened };
}

/** @param last offers a login email to its person */
export function endSession(client: QueryClient, last: LoginLink | null): void {
  const ended: Session = { state: "logged-out", last };
  client.setQueryData(sessionQuery.queryKey, ended);
  client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== "session" });
}

export function createClient(): QueryClient {
  const onError = (error: Error) => {
    if (hasCode(error, "logged_out")) {
      endSession(client, lastLinkIn(client));
    }
  };
  // While offline a call fails immediately instead of waiting, so that the page can show the error.
  const networkMode = "always";
  const client: QueryClient = new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      queries: { networkMode, retry: false, gcTime: Number.POSITIVE_INFINITY },
      mutations: { networkMode },
    },
  });
  return client;
}

/** Returns a function that formats a time in the sales team's zone. */
export function useFormatTime(): (time: string) => string {
  const session = useQuery(sessionQuery).data;
  const zone = session && ("me" in session ? session.me : "opened" in session && session.opened);
  return (time) => inWords(time, language, zone ? zone.time_zone : undefined);
}
