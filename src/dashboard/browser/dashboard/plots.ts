/** Draws the page's plots from its table, and closes the table. Loads the chart library only if needed. */
export async function drawPlots(): Promise<void> {
  const canvases = document.querySelectorAll('canvas')
  const numbers = document.querySelector<HTMLDetailsElement>('.numbers')
  const table = numbers?.querySelector('table')
  if (!numbers || !table || canvases.length === 0) return
  numbers.open = false
  try {
    const { drawCharts } = await import('./charts.ts')
    drawCharts(canvases, table)
  } catch (error) {
    numbers.open = true
    throw error
  }
}
