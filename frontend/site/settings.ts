/** The key of a local stack, which a release build rejects. */
export const LOCAL_KEY = "zg-anon-local";

/** The origin of a local stack, which a release build rejects. */
export const LOCAL_ORIGIN = "http://localhost:8080";

/** The city, without a mark: the exact position is not announced. */
const CITY_MAP =
  "https://www.openstreetmap.org/export/embed.html?bbox=103.79%2C1.26%2C103.89%2C1.33&layer=mapnik";

/** A web address without characters that have a meaning in a header or in nginx's configuration. */
const ORIGIN = /^https?:\/\/[\w.:[\]-]+$/;

const isHeaderValue = (text: string) => /^[\x21-\x7e]+$/.test(text);

/** Settings of a build in `VITE_*` variables. An invalid value stops the build. */
export const settings = readSettings(import.meta.env);

export type MapSettings = ReturnType<typeof readSettings>["map"];

/** Throws on an invalid value. The error contains the variable, not the value, which may contain a key or a password. */
export function readSettings(variables: Record<string, unknown>) {
  function read(name: string, standard: string, form: string, accepts: (text: string) => boolean) {
    const text = String(variables[name] || standard);
    if (!accepts(text)) {
      throw new Error(`${name} must be ${form}`);
    }
    return text;
  }
  const readChoice = (name: string, standard: string, alternative: string) =>
    read(name, standard, `${standard} or ${alternative}`, (text) =>
      [standard, alternative].includes(text),
    );
  const origin = read("VITE_SITE_ORIGIN", LOCAL_ORIGIN, "like https://www.example.com", isOrigin);
  const map = read("VITE_MAP_ADDRESS", CITY_MAP, "a whole address with http or https", isAddress);
  return {
    /** The public anonymous key, the same for every visitor: it names the site to the API and is no secret. */
    publicKey: read("VITE_ANON_KEY", LOCAL_KEY, "printable ASCII without spaces", isHeaderValue),
    siteOrigin: new URL(origin).origin,
    /** Whether 'Download Plan' downloads; otherwise it only logs its message. */
    planDownloads: readChoice("VITE_PLAN_DOWNLOADS", "off", "on") === "on",
    map: {
      address: new URL(map).href,
      /** Whether it is the default map, which shows the city and not the site. */
      showsCity: map === CITY_MAP,
      loading: readChoice("VITE_MAP_LOADING", "when-near", "on-request"),
    },
  };
}

function isAddress(text: string): boolean {
  try {
    const { origin, username, password } = new URL(text);
    return ORIGIN.test(origin) && username === "" && password === "";
  } catch {
    return false;
  }
}

function isOrigin(text: string): boolean {
  return isAddress(text) && new URL(text).href === `${new URL(text).origin}/`;
}
