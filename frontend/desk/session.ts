import {
  MutationCache,
  QueryCache,
  QueryClient,
  queryOptions,
  useQuery,
} from "@tanstack/react-query";
import { api, hasCode, type Me, type Opened } from "./api.ts";
import { language } from "./page.ts";
import { browserId, linkKey, loginRequest } from "./storage.ts";
import { inWords } from "./time.ts";

/** The session of this browser. `key` is the last opened link, which can request another link by email. */
export type Session =
  | { state: "logged-in"; me: Me; key: string | null }
  /** Not logged in: the lead has only the content of its email. */
  | { state: "mail"; opened: Opened; key: string }
  | { state: "expired" | "logged-out"; key: string | null };

export const sessionQuery = queryOptions({
  queryKey: ["session"],
  staleTime: Number.POSITIVE_INFINITY,
  queryFn: async ({ client }): Promise<Session> => {
    if (isLink(window.location.hash)) {
      return openLink(window.location.hash.slice(1));
    }
    const lastKey = client.getQueryData<Session>(["session"])?.key ?? null;
    try {
      return loggedIn(await api.me(), lastKey);
    } catch (error) {
      if (!hasCode(error, "logged_out")) {
        throw error;
      }
      // The page was reloaded before a login.
      const key = linkKey.read();
      return key === null ? { state: "logged-out", key: lastKey } : openLink(key);
    }
  },
});

/** Whether a fragment is the key of a magic link instead of a page. */
export function isLink(hash: string): boolean {
  return hash !== "" && !hash.startsWith("#/");
}

async function openLink(key: string): Promise<Session> {
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
    return opened.me === null ? { state: "mail", opened, key } : loggedIn(opened.me, key);
  } catch (error) {
    if (!hasCode(error, "expired_link")) {
      throw error;
    }
    return { state: "expired", key };
  }
}

export function loggedIn(me: Me, key: string | null): Session {
  linkKey.forget();
  return { state: "logged-in", me, key };
}

export function endSession(client: QueryClient): void {
  const key = client.getQueryData(sessionQuery.queryKey)?.key ?? null;
  client.setQueryData(sessionQuery.queryKey, { state: "logged-out", key });
  client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== "session" });
}

export function createClient(): QueryClient {
  const onError = (error: Error) => {
    if (hasCode(error, "logged_out")) {
      endSession(client);
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
export function useWords(): (time: string) => string {
  const session = useQuery(sessionQuery).data;
  const zone = session && ("me" in session ? session.me : "opened" in session && session.opened);
  return (time) => inWords(time, language, zone ? zone.time_zone : undefined);
}
