import { useTranslation } from "react-i18next";
import { Unbroken } from "#ui/unbroken.tsx";
import { Views } from "./views.tsx";
import "./benefits.css";

export function Benefits() {
  const { t } = useTranslation();
  return (
    <section className="benefits">
      <div className="benefits-body page-grid">
        <h2>{t("benefits.heading")}</h2>
        <div className="benefits-text">
          {(["location", "architecture"] as const).map((benefit) => (
            <div key={benefit}>
              <h3>{t(`benefits.${benefit}.heading`)}</h3>
              <p>
                <Unbroken text={t(`benefits.${benefit}.text`)} />
              </p>
            </div>
          ))}
        </div>
      </div>
      <Views />
    </section>
  );
}
