import { Link } from '@tanstack/react-router';
import { Empty } from '../ui/bits.tsx';

export const NotFound = () => (
  <Empty title="There is no such page">
    <Link to="/" className="link">
      Go to the first page
    </Link>
  </Empty>
);
