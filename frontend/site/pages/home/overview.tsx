import { useTranslation } from "#shared/i18n/use-translation.tsx";
import { unbroken } from "#shared/ui/unbroken.tsx";
import { Impression } from "#site/art/impression.tsx";
import { anchors } from "#site/routes.ts";
import "./overview.css";

export function Overview() {
  const { t } = useTranslation();
  return (
    <section id={anchors.overview} className="overview section section-end page-grid">
      <h2>{t("overview.heading")}</h2>
      <div className="columns">
        <p className="lead">{unbroken(t("overview.lead"))}</p>
        <p className="quiet">{unbroken(t("overview.third"))}</p>
        <p className="quiet">{unbroken(t("overview.range"))}</p>
      </div>
      <div className="swipe">
        <Impression
          of="arrival"
          className="overview-arrival"
          sizes="(max-width: 47.99em) 8rem, (max-width: 80em) 30vw, 406px"
        />
        <Impression
          of="living"
          plan="C1"
          className="overview-living"
          sizes="(max-width: 47.99em) 16rem, (max-width: 120em) 62vw, 1200px"
        />
      </div>
    </section>
  );
}
