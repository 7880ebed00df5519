import type { UseFormRegisterReturn } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { visitTimes } from "./registration.ts";

export function VisitTimes({ registration }: { registration: UseFormRegisterReturn<"times"> }) {
  const { t } = useTranslation();
  return (
    <fieldset className="visit">
      <legend className="field-legend">
        {t("registration.visit.legend")}{" "}
        <span className="field-optional quiet">{t("registration.optional")}</span>
      </legend>
      <div className="visit-times">
        {visitTimes.map((time) => (
          <label key={time} className="chip">
            <input type="checkbox" className="visually-hidden" value={time} {...registration} />
            {t(`registration.visit.${time}`)}
          </label>
        ))}
      </div>
    </fieldset>
  );
}
