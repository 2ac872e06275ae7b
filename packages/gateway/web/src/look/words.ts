// Numbers and times as people read them. Pure; the same in every locale, so that two readers see the same page.

import { shortScore } from '@coppice/core/log';

export function formatCount(value: number): string {
  if (value < 10_000) return Math.round(value).toLocaleString('en');
  if (value < 1_000_000) return `${trim(value / 1000)}k`;
  if (value < 1_000_000_000) return `${trim(value / 1_000_000)}M`;
  return `${trim(value / 1_000_000_000)}G`;
}

function trim(value: number): string {
  return value < 100 ? value.toFixed(1).replace(/\.0$/, '') : String(Math.round(value));
}

export function formatDuration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(ms < 10_000 ? 2 : 1)} s`;
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 60) return `${minutes} min ${Math.round((ms % 60_000) / 1000)} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

export function formatBytes(bytes: number): string {
  if (bytes < 1_000_000) return `${Math.ceil(bytes / 1000)} kB`;
  return bytes < 1_000_000_000 ? `${trim(bytes / 1_000_000)} MB` : `${trim(bytes / 1_000_000_000)} GB`;
}

export function formatScore(score: number | null | undefined): string {
  return score === null || score === undefined ? '–' : shortScore(score);
}

export function formatAgo(ms: number): string {
  if (ms < 5000) return 'now';
  if (ms < 60_000) return `${Math.round(ms / 1000)} s ago`;
  if (ms < 3_600_000) return `${Math.round(ms / 60_000)} min ago`;
  if (ms < 2 * 86_400_000) return `${Math.round(ms / 3_600_000)} h ago`;
  return `${Math.round(ms / 86_400_000)} d ago`;
}

/** `0.9312…`: short, and never rounded over a threshold that it did not reach. */
export function formatEvidence(value: number | string): string {
  if (typeof value === 'string') return value;
  if (Number.isInteger(value)) return formatCount(value);
  return (Math.trunc(value * 1000) / 1000).toString();
}

/** A cut width leaves strands open until they can end: never `6 of 1`. */
export function formatStrands(open: number, allowed: number): string {
  if (open === 0 && allowed === 0) return '0';
  return open <= allowed ? `${open} of ${allowed}` : `${open}, ${allowed} allowed`;
}

export function placeWords(place: number): string {
  return place === 1 ? 'next in the queue' : `number ${place} in the queue`;
}

/** `× 3.25`: at most three figures, and no decimals from 100 on. */
export function formatRatio(ratio: number): string {
  if (ratio >= 100) return `× ${formatCount(Number(ratio.toPrecision(3)))}`;
  return `× ${ratio >= 10 ? ratio.toFixed(1) : ratio.toFixed(2)}`;
}

/** In the reader's time zone; with the day if the range is longer than one. */
export function formatMoment(atMs: number, withDay: boolean): string {
  const at = new Date(atMs);
  const two = (value: number) => String(value).padStart(2, '0');
  const time = `${two(at.getHours())}:${two(at.getMinutes())}`;
  return withDay ? `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} ${time}` : time;
}
