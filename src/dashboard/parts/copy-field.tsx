/** A text with a button that copies it. */
export function CopyField({ label, value }: { label: string; value: string }) {
  return (
    <div class="copy">
      <span class="label">{label}</span>
      <code class="value">{value}</code>
      <button type="button" class="outline" data-copy={value} aria-live="polite">
        Copy<span class="for-reader"> {label}</span>
      </button>
    </div>
  )
}
