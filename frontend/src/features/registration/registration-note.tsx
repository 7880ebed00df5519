import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import type { FloorPlanId } from "#content/floor-plans.ts";
import { ContactWays } from "#content/project-facts.tsx";
import { useLanguage } from "#i18n/use-language.ts";
import { href } from "#routes.ts";
import { Arrow } from "#ui/icons.tsx";
import { planSentence } from "./registration.ts";
import type { Status } from "./registration-provider.tsx";
import "./registration-note.css";

interface RegistrationNoteProps {
  ref: React.RefObject<HTMLDivElement | null>;
  status: Status;
  plan: FloorPlanId | null;
}

/** Below the button: what happens next after success, what was kept after failure. */
export function RegistrationNote({ ref, status, plan }: RegistrationNoteProps) {
  const { t } = useTranslation();
  const language = useLanguage();
  const about = status.kind === "accepted" ? status.plan : plan;
  const message = about === null ? t("registration.message") : planSentence(about, t);
  return (
    <div ref={ref} className="registration-note" tabIndex={-1} aria-live="polite">
      {status.kind === "accepted" && (
        <div className="note note-good stack">
          {status.reference !== null && (
            <p>
              {t("registration.accepted.reference")}{" "}
              <strong className="unbroken">{status.reference}</strong>
            </p>
          )}
          <p>{t("registration.accepted.next")}</p>
          <ContactWays message={message} intro={t("registration.accepted.ways")} />
          <Link className="arrow-link" to={href("floorPlans", language)}>
            {t("registration.accepted.plans")}
            <Arrow />
          </Link>
        </div>
      )}
      {status.kind === "failed" && (
        <div className="note stack">
          <p>{t(`registration.failed.${status.reason}`)}</p>
          <ContactWays message={message} intro={t("registration.failed.ways")} />
        </div>
      )}
    </div>
  );
}
