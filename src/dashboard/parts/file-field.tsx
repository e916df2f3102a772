/** Chooses a file, whose text fills the field `document` of its form. It needs JavaScript, and is hidden without. */
export function FileField() {
  return (
    <div class="field" data-file-field hidden>
      <label for="file">File</label>
      <input id="file" type="file" aria-describedby="file-read" />
      <small id="file-read" role="status" data-file-read />
    </div>
  )
}
