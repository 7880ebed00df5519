import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import { firstPictures } from "#art/first-pictures.ts";
import { LargePicture } from "#art/impression.tsx";
import { project } from "#content/project.ts";
import { useLanguage } from "#i18n/use-language.ts";
import { anchors, href } from "#routes.ts";
import { AnchorLink } from "#shell/anchor-link.tsx";
import { Arrow } from "#ui/arrow.tsx";
import { buttonRole } from "#ui/link-events.ts";
import "#ui/button.css";
import "./hero.css";

/** The project's name and promise on its picture, with the two ways on. */
export function Hero() {
  const { t } = useTranslation();
  const language = useLanguage();
  return (
    <section className="hero on-ink">
      <figure className="hero-picture">
        <LargePicture
          of={firstPictures.hero}
          alt={t("hero.picture")}
          caption={project.name}
          sizes="(min-width: 100em) 1600px, (min-width: 62em) 1440px, max(100vw, 960px)"
          narrow={{
            of: firstPictures.heroPhone,
            media: "(max-width: 30em)",
            sizes: "max(100vw, 400px)",
          }}
          first
        />
        <figcaption>{t("impression")}</figcaption>
      </figure>
      <div className="hero-words page-width">
        <h1>{project.name}</h1>
        <p className="hero-lead lead">{t("hero.lead")}</p>
        <div className="cluster">
          <AnchorLink className="button" to={anchors.form} {...buttonRole}>
            {t("bar.register")}
          </AnchorLink>
          <Link className="arrow-link" to={href("floorPlans", language)}>
            {t("hero.plans")}
            <Arrow />
          </Link>
        </div>
      </div>
    </section>
  );
}
