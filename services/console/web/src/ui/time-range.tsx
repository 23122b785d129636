import { TextField } from './form.tsx';

export type TimeRangeProps = {
  readonly from: string;
  readonly to: string;
  readonly onFrom: (value: string) => void;
  readonly onTo: (value: string) => void;
};

export const isBackwards = (from: string, to: string): boolean => from !== '' && to !== '' && from >= to;

export const TimeRangeFields = ({ from, to, onFrom, onTo }: TimeRangeProps) => (
  <>
    <TextField
      label="From"
      type="datetime-local"
      value={from}
      onChange={(event) => onFrom(event.currentTarget.value)}
      hint="In your time zone."
    />
    <TextField
      label="Before"
      type="datetime-local"
      value={to}
      onChange={(event) => onTo(event.currentTarget.value)}
      error={isBackwards(from, to) ? 'The range must begin before it ends.' : undefined}
    />
  </>
);
