const PATHS = {
  overview: 'M4 20V11M10 20V4M16 20v-7M21 20H3',
  operator: 'M4 5h16v5H4zM4 14h16v5H4zM7.5 7.5h.01M7.5 16.5h.01',
  payments: 'M3 6h18v12H3zM3 10h18',
  link: 'M10 14a4 4 0 0 0 6 .5l3-3a4 4 0 0 0-5.7-5.7L12 7M14 10a4 4 0 0 0-6-.5l-3 3a4 4 0 0 0 5.7 5.7L12 17',
  scales: 'M12 4v16M7 20h10M5 7h14M5 7l-2.5 6a2.8 2.8 0 0 0 5 0zM19 7l-2.5 6a2.8 2.8 0 0 0 5 0z',
  key: 'M14.5 9.5a4 4 0 1 0-3.2 3.9L13 15h2v2h2v2h3v-3l-5.6-5.6',
  endpoint: 'M4 12h6M14 12h6M10 8v8a2 2 0 0 0 4 0V8a2 2 0 0 0-4 0z',
  event: 'M13 3 5 13h6l-1 8 8-10h-6z',
  people:
    'M9 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM3.5 19a5.5 5.5 0 0 1 11 0M16 5.3a3 3 0 0 1 0 5.4M17.5 14a5.5 5.5 0 0 1 3 5',
  person: 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM5 20a7 7 0 0 1 14 0',
  refused: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM6 6l12 12',
  payout: 'M3 8h15v12H3zM3 8l2-4h11l2 4M14 14h7',
  search: 'M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM20 20l-4-4',
  copy: 'M9 9h10v11H9zM5 15V4h10',
  done: 'm5 12.5 4.5 4.5L19 7',
  out: 'M9 5H5v14h14v-4M13 5h6v6M19 5l-9 9',
  down: 'm6 9 6 6 6-6',
  back: 'm14 6-6 6 6 6',
  close: 'M6 6l12 12M18 6 6 18',
  menu: 'M4 7h16M4 12h16M4 17h16',
  plus: 'M12 5v14M5 12h14',
  save: 'M12 4v11m-4-4 4 4 4-4M5 20h14',
  sun: 'M12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.4 1.4M17.6 17.6 19 19M5 19l1.4-1.4M17.6 6.4 19 5',
  passkey: 'M9 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM3 20a6 6 0 0 1 9-5.2M17.5 17v4l1.5-1-1.5-1M17.5 17a2.5 2.5 0 1 0-.01 0',
} as const;

export function Icon({
  name,
  className = 'size-4',
}: {
  readonly name: keyof typeof PATHS;
  readonly className?: string;
}) {
  return (
    <svg
      aria-hidden="true"
      className={`flex-none ${className}`}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.7"
      strokeLinecap="round"
      strokeLinejoin="round"
    >
      <path d={PATHS[name]} />
    </svg>
  );
}
