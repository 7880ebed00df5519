export interface Settings {
  /** The public anonymous key, the same for every visitor: it names the site to the API and is no secret. */
  publicKey: string;
  /** Where the site will be found, such as `https://www.example.com`: for what must be absolute. */
  siteOrigin: string;
  /** Whether 'Download Plan' downloads; otherwise it only logs its message. */
  planDownloads: boolean;
  map: MapSettings;
}

export interface MapSettings {
  /** The page that is embedded as the interactive map. */
  address: string;
  /** Whether that is the standard one, which shows the city and not the site. */
  showsCity: boolean;
  /** When it takes the place of the illustrated one. */
  loading: MapLoading;
}

type MapLoading = "on-request" | "when-near";

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

/** Throws on a wrong value, naming its variable. Addresses are not repeated: they may hold a key or a password. */
export function readSettings(variables: Record<string, unknown>): Settings {
  const read = (name: string, standard: string) => {
    const value = variables[name];
    return typeof value === "string" && value !== "" ? value : standard;
  };
  const choose = <T extends string>(name: string, choices: readonly [T, ...T[]]): T => {
    const value = read(name, choices[0]);
    const choice = choices.find((known) => known === value);
    if (choice === undefined) {
      throw new Error(`${name} must be ${choices.join(" or ")}, but is ${JSON.stringify(value)}`);
    }
    return choice;
  };
  const address = (name: string, standard: string): URL => {
    const url = parsed(read(name, standard));
    if (url === null || !ORIGIN.test(url.origin) || url.username !== "" || url.password !== "") {
      throw new Error(`${name} must be a whole address, such as https://www.example.com`);
    }
    return url;
  };

  const publicKey = read("VITE_ANON_KEY", LOCAL_KEY);
  if (!HEADER_VALUE.test(publicKey)) {
    throw new Error("VITE_ANON_KEY must be made of ASCII characters that print, without spaces");
  }
  const site = address("VITE_SITE_ORIGIN", LOCAL_ORIGIN);
  if (site.href !== `${site.origin}/`) {
    throw new Error("VITE_SITE_ORIGIN must be an origin alone, without path, query or fragment");
  }
  const map = address("VITE_MAP_ADDRESS", CITY_MAP);
  return {
    publicKey,
    siteOrigin: site.origin,
    planDownloads: choose("VITE_PLAN_DOWNLOADS", ["off", "on"]) === "on",
    map: {
      address: map.href,
      showsCity: map.href === CITY_MAP,
      loading: choose("VITE_MAP_LOADING", ["on-request", "when-near"]),
    },
  };
}

function parsed(address: string): URL | null {
  try {
    return new URL(address);
  } catch {
    // Its message would repeat the address.
    return null;
  }
}
