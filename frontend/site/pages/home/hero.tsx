import { useTranslation } from "#shared/i18n/use-translation.tsx";
import { Arrow } from "#shared/ui/icons.tsx";
import { unbroken } from "#shared/ui/unbroken.tsx";
import { firstPictures } from "#site/art/first-pictures.ts";
import { LargePicture } from "#site/art/large-picture.tsx";
import { project } from "#site/content/project.ts";
import { useRegistrationState } from "#site/features/registration/registration-provider.tsx";
import { PageLink, RegisterLink } from "#site/shell/page-link.tsx";
import "./hero.css";

export function Hero() {
  const { t } = useTranslation();
  const { isRestored, thanks } = useRegistrationState();
  return (
    <section className="hero on-ink">
      <figure className="hero-picture cover">
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
        <p className="hero-facts">{unbroken(t("hero.facts"))}</p>
        <div className="cluster">
          <RegisterLink className="button">{t("bar.register")}</RegisterLink>
          {isRestored && thanks === null ? (
            <RegisterLink className="arrow-link">
              {t("hero.continue")}
              <Arrow />
            </RegisterLink>
          ) : (
            <PageLink className="arrow-link" to="floorPlans">
              {t("seePlans")}
              <Arrow />
            </PageLink>
          )}
        </div>
      </div>
    </section>
  );
}
