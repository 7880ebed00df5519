import { type ReactNode, useEffect } from "react";
import { useLocation } from "react-router-dom";
import { useTranslation } from "#shared/i18n/use-translation.tsx";
import { Arrow } from "#shared/ui/icons.tsx";
import { firstPictures } from "#site/art/first-pictures.ts";
import { Picture } from "#site/art/picture.tsx";
import { PageLink } from "#site/shell/page-link.tsx";
import "./message-pages.css";

export function MessagePage({ children }: { children: ReactNode }) {
  return (
    <>
      <div className="message-strip cover">
        <Picture of={firstPictures.hero} alt="" sizes="100vw" />
      </div>
      <section className="message stack page-width">{children}</section>
    </>
  );
}

export function NotFoundPage() {
  const { t } = useTranslation();
  const { pathname } = useLocation();

  useEffect(() => {
    console.error("404: no page at", pathname);
  }, [pathname]);

  return (
    <MessagePage>
      <h1>{t("notFound.heading")}</h1>
      <p>{t("notFound.text")}</p>
      <PageLink className="button" to="home">
        {t("notFound.home")}
      </PageLink>
      <PageLink className="arrow-link" to="floorPlans">
        {t("seePlans")}
        <Arrow />
      </PageLink>
    </MessagePage>
  );
}

export function UnexpectedErrorPage() {
  const { t } = useTranslation();
  return (
    <MessagePage>
      <h1 className="message-sentence">{t("unexpected.heading")}</h1>
      <UnexpectedErrorText />
    </MessagePage>
  );
}

/** In place of one section of a page. */
export function UnexpectedError() {
  const { t } = useTranslation();
  return (
    <section className="message stack page-width">
      <h2>{t("unexpected.heading")}</h2>
      <UnexpectedErrorText />
    </section>
  );
}

function UnexpectedErrorText() {
  const { t } = useTranslation();
  return (
    <>
      <p>{t("unexpected.text")}</p>
      <button type="button" className="button" onClick={() => window.location.reload()}>
        {t("unexpected.reload")}
      </button>
    </>
  );
}

/** SSI directives of nginx, which React would escape. The site's texts need no escaping. */
export function SsiDirective({
  name: Element,
  text,
}: {
  name: "strong" | "li" | "div";
  text: string;
}) {
  // biome-ignore lint/security/noDangerouslySetInnerHtml: only SSI directives and texts of the site.
  return <Element dangerouslySetInnerHTML={{ __html: text }} />;
}

/** Placeholder of the token in a link, which nginx inserts into the form and into the link to the other language. */
export const tokenMark = "WITHDRAWAL_TOKEN";

/** The value and the text of a button. */
type Choice = readonly [value: string, text: string];

interface TokenFormProps {
  action: string;
  /** Name of the field that the pressed button sends. */
  name: string;
  first: Choice;
  second: Choice;
  /** Shown instead if the address has no token. */
  incomplete: string;
}

/** Two buttons that use the token of a link. */
export function TokenForm({ action, name, first, second, incomplete }: TokenFormProps) {
  return (
    <SsiDirective
      name="div"
      text={`<!--# if expr="$withdrawal_token" --><form class="message-choice" method="post" action="${action}">
          <button class="button" name="${name}" value="${first[0]}">${first[1]}</button>
          <button class="button button-plain" name="${name}" value="${second[0]}">${second[1]}</button>
        </form><!--# else --><p>${incomplete}</p><!--# endif -->`}
    />
  );
}
