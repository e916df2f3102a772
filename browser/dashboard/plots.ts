/** Draws the plots of a page from its table, which is folded up then; without any, loads nothing. */
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
