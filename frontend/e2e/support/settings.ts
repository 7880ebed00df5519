const purposes = {
  SITE_URL: "address of the site",
  MAIL_URL: "address of maildev's web page",
  LEADCTL: "path of the leadctl binary",
  LEADCTL_CONFIG: "path of leadctl's configuration",
  COLLECTED: "file with the telemetry that the services export",
  SERVICE_LOGS: "directory of the stack's logs",
  CHROMIUM: "path of the browser",
  WEBKIT_DRIVER: "path of WebKitWebDriver",
  GECKODRIVER: "path of geckodriver",
  FIREFOX: "path of Firefox",
} as const;

/** Reads a setting of the running stack, which `cargo xtask test` sets. */
export function setting(name: keyof typeof purposes): string {
  const value = process.env[name];
  if (!value) {
    throw new Error(
      `${name} is not set (${purposes[name]}); \`cargo xtask test\` starts the stack and sets it`,
    );
  }
  return value;
}
