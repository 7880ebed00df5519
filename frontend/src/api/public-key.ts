/** The public anonymous key, the same for every visitor: it names the site to the API and is no secret. */
export const publicKey: string = import.meta.env.VITE_ANON_KEY ?? "zg-anon-local";
