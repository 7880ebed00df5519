import { type ComponentProps, lazy, type MouseEvent, Suspense, useState } from "react";
import { createPortal } from "react-dom";
import { isPlainClick } from "#ui/is-plain-click.ts";
import "./large-picture.css";
import { widest } from "./first-pictures.ts";
import { Picture } from "./picture.tsx";

const PictureViewer = lazy(async () => ({
  default: (await import("./picture-viewer.tsx")).PictureViewer,
}));

interface LargePictureProps extends ComponentProps<typeof Picture> {
  /** What the large view is called. */
  caption: string;
}

/** A picture that opens large; without script the link leads to its largest encoding. */
export function LargePicture({ caption, ...picture }: LargePictureProps) {
  const [open, setOpen] = useState(false);

  function enlarge(event: MouseEvent): void {
    if (isPlainClick(event)) {
      event.preventDefault();
      setOpen(true);
    }
  }

  return (
    <>
      <a className="large-picture" href={widest(picture.of)} onClick={enlarge}>
        <Picture {...picture} />
      </a>
      {open &&
        // Out of the reach of the rules for the picture's place on the page.
        createPortal(
          <Suspense>
            <PictureViewer
              of={picture.of}
              alt={picture.alt}
              caption={caption}
              onClose={() => setOpen(false)}
            />
          </Suspense>,
          document.body,
        )}
    </>
  );
}
