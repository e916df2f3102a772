import {
  BarController,
  BarElement,
  CategoryScale,
  Chart,
  type ChartConfiguration,
  type ChartDataset,
  Legend,
  LinearScale,
  LineController,
  LineElement,
  PointElement,
  Tooltip,
} from 'chart.js'

type Kind = 'bar' | 'line'

interface Series {
  /** The plot that it belongs to. */
  plot: string | undefined
  name: string
  /** The variable of its colour; else it follows from the plot. */
  colour: string | undefined
  values: (number | null)[]
}

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

const instant = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })
const hour = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' })
const weekday = new Intl.DateTimeFormat(undefined, { weekday: 'short', hour: '2-digit' })
const dayAndHour = new Intl.DateTimeFormat(undefined, {
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
})
// Buckets of days are days in UTC.
const day = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric', timeZone: 'UTC' })
const fullDay = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' })

Chart.register(BarController, BarElement, CategoryScale, LinearScale)
Chart.register(LineController, LineElement, PointElement, Tooltip, Legend)

/** Draws in each canvas the table columns with the same `data-plot`. Redraws when the colour scheme changes. */
export function drawCharts(canvases: Iterable<HTMLCanvasElement>, table: HTMLTableElement): void {
  const times = Array.from(table.querySelectorAll('tbody time'), timeOf)
  const series = seriesOf(table)
  let charts: Chart[] = []
  const draw = () => {
    for (const chart of charts) chart.destroy()
    charts = Array.from(canvases, (canvas) => drawChart(canvas, times, series))
  }
  draw()
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', draw)
}

function timeOf(time: Element): Date {
  return new Date(time.getAttribute('datetime') ?? '')
}

/** Every column except the first, which holds the times. */
function seriesOf(table: HTMLTableElement): Series[] {
  const rows = Array.from(table.tBodies[0]?.rows ?? [])
  return Array.from(table.tHead?.rows[0]?.cells ?? [], (head, column) => ({
    plot: head.dataset.plot,
    name: head.textContent.trim(),
    colour: head.dataset.colour,
    values: rows.map((row) => numberIn(row.cells[column])),
  })).slice(1)
}

function numberIn(cell: HTMLTableCellElement | undefined): number | null {
  const data = cell?.querySelector('data')
  return data ? Number(data.value) : null
}

function drawChart(canvas: HTMLCanvasElement, times: Date[], all: Series[]): Chart {
  const { plot } = canvas.dataset
  const kind: Kind = plot === 'line' ? 'line' : 'bar'
  const series = all.filter((each) => each.plot === plot)
  const figure = canvas.closest('figure')
  if (figure) figure.hidden = false
  return new Chart<Kind, (number | null)[]>(canvas, {
    type: kind,
    data: {
      labels: times.map(labelFormat(times).format),
      datasets: series.map(kind === 'bar' ? barsOf : lineOf),
    },
    options: optionsOf(kind, times),
  }) as Chart
}

/** By the size of a bucket. Hours of several days are shown with their day. */
function labelFormat(times: Date[]): Intl.DateTimeFormat {
  const [first, second] = times
  const last = times.at(-1)
  if (!first || !second || !last) return dayAndHour
  const bucket = second.getTime() - first.getTime()
  const range = last.getTime() - first.getTime()
  if (bucket >= DAY_MS) return day
  if (range < DAY_MS) return hour
  return range < 7 * DAY_MS ? weekday : dayAndHour
}

function isOfDays([first, second]: Date[]): boolean {
  return Boolean(first && second && second.getTime() - first.getTime() >= DAY_MS)
}

function barsOf(
  { name, plot, colour: own, values }: Series,
  index: number,
): ChartDataset<Kind, (number | null)[]> {
  const usual = plot === 'share' ? `--series-${index + 1}` : `--status-${name}`
  return {
    label: name,
    data: values,
    backgroundColor: colour(own ?? usual),
    // Separates stacked bars for readers who cannot tell their colours apart.
    borderColor: colour('--pico-background-color'),
    borderWidth: { top: 1 },
    categoryPercentage: 0.9,
    barPercentage: 0.9,
  }
}

/** The first line is solid with dots, the others are dashed with triangles. */
function lineOf({ name, values }: Series, index: number): ChartDataset<Kind, (number | null)[]> {
  return {
    label: name,
    data: values,
    borderColor: colour(`--latency-${name}`),
    backgroundColor: colour(`--latency-${name}`),
    borderWidth: 2,
    borderDash: index === 0 ? [] : [6, 4],
    pointStyle: index === 0 ? 'circle' : 'triangle',
    pointRadius: 3,
  }
}

type Options = NonNullable<ChartConfiguration<Kind, (number | null)[]>['options']>

function optionsOf(kind: Kind, times: Date[]): Options {
  const stacked = kind === 'bar'
  const text = colour('--dim')
  const grid = colour('--pico-muted-border-color')
  const unit = stacked ? '' : ' ms'
  const titleFormat = isOfDays(times) ? fullDay : instant
  return {
    // Also respects prefers-reduced-motion.
    animation: false,
    maintainAspectRatio: false,
    interaction: { mode: 'index', intersect: false },
    scales: {
      x: {
        stacked,
        ticks: { color: text, maxRotation: 0, autoSkipPadding: 16 },
        grid: { display: false },
        border: { color: grid },
      },
      y: {
        stacked,
        beginAtZero: true,
        ticks: { color: text, maxTicksLimit: 6, precision: 0, callback: withUnit(unit) },
        grid: { color: grid },
        border: { display: false },
      },
    },
    plugins: {
      legend: {
        align: 'end',
        labels: { color: text, boxWidth: 12, boxHeight: stacked ? 12 : 7, usePointStyle: !stacked },
      },
      tooltip: {
        callbacks: {
          title: ([item]) => titleFormat.format(times[item?.dataIndex ?? 0]),
          label: ({ dataset, parsed }) => `${dataset.label}: ${parsed.y?.toLocaleString()}${unit}`,
        },
      },
    },
  }
}

function withUnit(unit: string) {
  return (value: number | string) => `${Number(value).toLocaleString()}${unit}`
}

function colour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim()
}
