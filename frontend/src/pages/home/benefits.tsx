import { useTranslation } from "react-i18next";
import { unbroken } from "#ui/unbroken.tsx";
import { Views } from "./views.tsx";

export function Benefits() {
  const { t } = useTranslation();
  return (
    <section className="section">
      <div className="page-grid">
        <h2>{t("benefits.heading")}</h2>
        <div className="columns">
          {(["location", "architecture"] as const).map((benefit) => (
            <div key={benefit} className="stack">
              <h3>{t(`benefits.${benefit}.heading`)}</h3>
              <p className="quiet">{unbroken(t(`benefits.${benefit}.text`))}</p>
            </div>
          ))}
        </div>
      </div>
      <Views />
    </section>
  );
}
