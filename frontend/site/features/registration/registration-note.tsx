import { Link } from "react-router-dom";
import { type FloorPlanId, planFile } from "#shared/content/floor-plans.ts";
import { useLanguage } from "#shared/i18n/use-language.ts";
import { useTranslation } from "#shared/i18n/use-translation.tsx";
import { CopyButton, ShareButton } from "#shared/ui/share.tsx";
import { project } from "#site/content/project.ts";
import { ContactWays } from "#site/content/project-facts.tsx";
import { href } from "#site/routes.ts";
import { settings } from "#site/settings.ts";
import { planSentence } from "./registration.ts";
import type { Status, Thanks } from "./registration-provider.tsx";
import "./registration-note.css";

interface RegistrationNoteProps {
  ref: React.RefObject<HTMLDivElement | null>;
  status: Status;
  thanks: Thanks | null;
  plan: FloorPlanId | null;
}

/** The note above the form: next steps after success, kept values after a failure. */
export function RegistrationNote({ ref, status, thanks, plan }: RegistrationNoteProps) {
  const { t } = useTranslation();
  const about = thanks === null ? plan : thanks.plan;
  const message = about === null ? t("registration.message") : planSentence(about, t);
  const failure =
    status.kind === "failed" ? status.reason : status.kind === "sending" && status.after;
  return (
    <div ref={ref} className="registration-note" tabIndex={-1} aria-live="polite">
      {thanks !== null && <Accepted {...thanks} message={message} />}
      {failure && (
        <div className="note stack">
          <h3>{t("registration.failed.heading")}</h3>
          <p>{t(`registration.failed.${failure}`)}</p>
          <button type="submit" className="button" disabled={status.kind === "sending"}>
            {t("registration.failed.again")}
          </button>
          <ContactWays message={message} intro={t("registration.failed.ways")} />
        </div>
      )}
    </div>
  );
}

const steps = ["received", "contact", "released"] as const;

export function NextSteps() {
  const { t } = useTranslation();
  return (
    <ol className="note-steps">
      {steps.map((step) => (
        <li key={step}>{t(`registration.accepted.steps.${step}`)}</li>
      ))}
    </ol>
  );
}

type AcceptedProps = Omit<Thanks, "plan"> & { message: string };

function Accepted({ reference, consent, message }: AcceptedProps) {
  const { t } = useTranslation();
  const language = useLanguage();
  return (
    <div className="note note-good stack">
      <h3>{t("registration.accepted.heading")}</h3>
      {reference !== null && (
        <div className="note-reference cluster">
          <p>
            {t("registration.accepted.reference")} <strong className="unbroken">{reference}</strong>
          </p>
          <CopyButton
            text={reference}
            texts={t("registration.accepted.copy", { returnObjects: true })}
          />
        </div>
      )}
      <NextSteps />
      {consent !== null && (
        <a className="text-button" href={consent.address}>
          {consent.question}
        </a>
      )}
      <div className="note-actions cluster">
        <Link className="button button-small" to={href("floorPlans", language)}>
          {t("registration.accepted.plans")}
        </Link>
        {settings.planDownloads && (
          <a className="button button-small button-plain" href={planFile("all", language)} download>
            {t("registration.accepted.sheets")}
          </a>
        )}
        <ShareButton
          title={project.name}
          url={`${window.location.origin}${href("home", language)}`}
          texts={{
            ...t("share", { returnObjects: true }),
            label: t("registration.accepted.share"),
          }}
        />
      </div>
      <ContactWays message={message} intro={t("registration.accepted.ways")} />
    </div>
  );
}
