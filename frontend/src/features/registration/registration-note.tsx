import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { ContactWays, hasContactWays } from "#content/contact-ways.tsx";
import { useLanguage } from "#i18n/use-language.ts";
import { href } from "#routes.ts";
import { Arrow } from "#ui/arrow.tsx";
import { Link } from "#ui/link.tsx";
import "#ui/button.css";
import type { Notice } from "./registration-provider.tsx";
import "./registration-note.css";

interface RegistrationNoteProps {
  notice: Notice | null;
  /** What a message to us begins with. */
  message: string;
  onSendLater: () => void;
}

/** The lasting word below the button: what happens next after success, what was kept after failure. */
export function RegistrationNote({ notice, message, onSendLater }: RegistrationNoteProps) {
  const element = useRef<HTMLDivElement>(null);

  useEffect(() => {
    // The button was disabled while sending, which drops the focus: without this it would start over at the top.
    if (notice !== null && notice.kind !== "invalid" && document.activeElement === document.body) {
      element.current?.focus({ preventScroll: true });
    }
  }, [notice]);

  return (
    <div ref={element} className="registration-note" tabIndex={-1} aria-live="polite">
      {notice?.kind === "accepted" && <Accepted reference={notice.reference} message={message} />}
      {notice?.kind === "failed" && (
        <Failed failure={notice.failure} message={message} onSendLater={onSendLater} />
      )}
    </div>
  );
}

function Accepted({ reference, message }: { reference: string | null; message: string }) {
  const { t } = useTranslation();
  const language = useLanguage();
  return (
    <div className="note note-good">
      {reference !== null && (
        <p>
          {t("registration.accepted.reference")}{" "}
          <strong className="registration-reference">{reference}</strong>
        </p>
      )}
      <p>{t("registration.accepted.next")}</p>
      {hasContactWays() && <p>{t("registration.accepted.ways")}</p>}
      <ContactWays message={message} />
      <Link className="arrow-link" to={href("floorPlans", language)}>
        {t("registration.accepted.plans")}
        <Arrow />
      </Link>
    </div>
  );
}

interface FailedProps {
  failure: Extract<Notice, { kind: "failed" }>["failure"];
  message: string;
  onSendLater: () => void;
}

function Failed({ failure, message, onSendLater }: FailedProps) {
  const { t } = useTranslation();
  return (
    <div className="note">
      <p>{t(`registration.failed.${failure}`)}</p>
      {failure === "offline" && <SendLater onSendLater={onSendLater} />}
      {hasContactWays() && <p>{t("registration.failed.ways")}</p>}
      <ContactWays message={message} />
    </div>
  );
}

function SendLater({ onSendLater }: { onSendLater: () => void }) {
  const { t } = useTranslation();
  const [agreed, setAgreed] = useState(false);
  return agreed ? (
    <p>{t("registration.failed.later")}</p>
  ) : (
    <button
      type="button"
      className="button button-small"
      onClick={() => {
        setAgreed(true);
        onSendLater();
      }}
    >
      {t("registration.failed.sendLater")}
    </button>
  );
}
