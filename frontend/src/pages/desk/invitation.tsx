import { type FormEvent, useState } from "react";
import { useDesk, useTask } from "./context.ts";

interface Props {
  heading: string;
  text: string;
  /** `null`: the page was opened without a link. */
  linkKey: string | null;
  /** Whose link it is, while it is good. */
  invited?: string;
}

/** How a browser gets signed in: by a mail to somebody's own address. */
export function Invitation({ heading, text, linkKey, invited }: Props) {
  const { api, texts } = useDesk();
  const { busy, failure, run } = useTask();
  const [mailed, setMailed] = useState(false);
  const [address, setAddress] = useState("");

  async function mail(key: string, to?: string): Promise<void> {
    await run(async () => {
      await api.mailLink(key, to);
      setMailed(true);
    });
  }

  return (
    <section className="desk-panel">
      <h2>{heading}</h2>
      <p>{text}</p>
      {linkKey !== null && (
        <>
          <button
            type="button"
            className="button"
            disabled={busy}
            onClick={() => void mail(linkKey)}
          >
            {invited === undefined ? texts.mailNew : texts.mailTo(invited)}
          </button>
          <details>
            <summary>{texts.iAmAnother}</summary>
            <form
              onSubmit={(event: FormEvent) => {
                event.preventDefault();
                void mail(linkKey, address);
              }}
            >
              <label className="field-label" htmlFor="desk-address">
                {texts.address}
              </label>
              <input
                id="desk-address"
                className="field-input"
                type="email"
                required
                autoComplete="email"
                value={address}
                onChange={(event) => setAddress(event.target.value)}
              />
              <button type="submit" className="button button-small" disabled={busy}>
                {texts.mailMe}
              </button>
            </form>
          </details>
        </>
      )}
      <p role="status">{failure ?? (mailed ? texts.mailed : "")}</p>
    </section>
  );
}
