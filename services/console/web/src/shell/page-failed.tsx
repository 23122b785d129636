import { Problem } from '../ui/bits.tsx';

/** A page that could not be loaded, as after an upgrade of the console. */
export const PageFailed = ({ error, reset }: { readonly error: unknown; readonly reset: () => void }) => (
  <div className="p-6">
    <Problem
      of={error}
      again={() => {
        reset();
        location.reload();
      }}
    />
  </div>
);
