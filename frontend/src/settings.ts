/** The key of a stack on this machine; refused by a release build. */
export const LOCAL_KEY = "zg-anon-local";

/** Stands for an address that nobody has given yet: good on this machine, refused by a release build. */
export const LOCAL_ORIGIN = "http://localhost:8080";

/** The city, without a mark: the exact position is not announced. */
const CITY_MAP =
  "https://www.openstreetmap.org/export/embed.html?bbox=103.79%2C1.26%2C103.89%2C1.33&layer=mapnik";

/** Of the web, and of nothing that would mean more than itself in a header or in a server's configuration. */
const ORIGIN = /^https?:\/\/[\w.:[\]-]+$/;

/** The key travels in a header. */
const HEADER_VALUE = /^[\x21-\x7e]+$/;

/** What a build can be told, by `VITE_*` variables. A value that cannot be right stops the build. */
export const settings = readSettings(import.meta.env);

export type MapSettings = ReturnType<typeof readSettings>["map"];

/** Throws on a wrong value, naming its variable. Values are not repeated: they may hold a key or a password. */
export function readSettings(variables: Record<string, unknown>) {
  function read<T>(name: string, standard: string, form: string, parse: Parse<T>): T {
    const result = parse(String(variables[name] || standard));
    if (result === null) {
      throw new Error(`${name} must be ${form}`);
    }
    return result;
  }
  const choose = <T extends string>(name: string, choices: readonly [T, ...T[]]): T =>
    read(name, choices[0], choices.join(" or "), (text) => {
      return choices.find((known) => known === text) ?? null;
    });
  const map = read("VITE_MAP_ADDRESS", CITY_MAP, "a whole address with http or https", webAddress);
  return {
    /** The public anonymous key, the same for every visitor: it names the site to the API and is no secret. */
    publicKey: read("VITE_ANON_KEY", LOCAL_KEY, "printable ASCII without spaces", (text) =>
      HEADER_VALUE.test(text) ? text : null,
    ),
    /** Where the site will be found: for what must be absolute. */
    siteOrigin: read("VITE_SITE_ORIGIN", LOCAL_ORIGIN, "like https://www.example.com", (text) => {
      const url = webAddress(text);
      return url?.href === `${url?.origin}/` ? url.origin : null;
    }),
    /** Whether 'Download Plan' downloads; otherwise it only logs its message. */
    planDownloads: choose("VITE_PLAN_DOWNLOADS", ["off", "on"]) === "on",
    map: {
      /** The page that is embedded as the interactive map. */
      address: map.href,
      /** Whether that is the standard one, which shows the city and not the site. */
      showsCity: map.href === CITY_MAP,
      /** When it takes the place of the illustrated one. */
      loading: choose("VITE_MAP_LOADING", ["on-request", "when-near"]),
    },
  };
}

type Parse<T> = (text: string) => T | null;

function webAddress(text: string): URL | null {
  try {
    const url = new URL(text);
    return ORIGIN.test(url.origin) && url.username === "" && url.password === "" ? url : null;
  } catch {
    // Its message would repeat the address.
    return null;
  }
}
