import type { EncodedPicture } from "./first-pictures.ts";

interface PictureProps {
  of: EncodedPicture;
  alt: string;
  sizes: string;
  /** A different crop for windows that match a media query. */
  narrow?: { of: EncodedPicture; media: string; sizes: string };
  /** For the picture of the first screen, which loads immediately and before others. */
  first?: boolean;
}

export function Picture({ of, alt, sizes, narrow, first = false }: PictureProps) {
  const { name, width, height, avif, jpeg } = of;
  const cut = narrow?.of;
  return (
    <picture>
      {cut && (
        <>
          <source type="image/avif" media={narrow.media} srcSet={cut.avif} sizes={narrow.sizes} />
          <source type="image/jpeg" media={narrow.media} srcSet={cut.jpeg} sizes={narrow.sizes} />
        </>
      )}
      <source type="image/avif" srcSet={avif} sizes={sizes} />
      <img
        className={`picture-${name}`}
        srcSet={jpeg}
        sizes={sizes}
        width={width}
        height={height}
        alt={alt}
        decoding="async"
        {...(first ? { fetchPriority: "high" } : { loading: "lazy" })}
      />
    </picture>
  );
}
