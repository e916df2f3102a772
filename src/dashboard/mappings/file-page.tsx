import type { Context } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import type { ApiError } from '../../engine/errors.ts'
import { findPartner } from '../../settings/partners/queries.ts'
import type { Form } from '../form/form.ts'
import { FileField } from '../parts/file-field.tsx'
import { FormButtons } from '../parts/form-buttons.tsx'
import { FormError } from '../parts/form-error.tsx'
import { TextArea } from '../parts/text-area.tsx'
import { type MappingPlace, mappingFilePath, mappingPath } from '../paths.ts'
import { showPage } from '../shell/page.tsx'
import { FileResult } from './file-result.tsx'
import type { FileAnswer } from './send-file.ts'

interface Shown {
  /** Of the place, if it is known. */
  partner?: { name: string }
  sent?: Form
  error?: ApiError
  answer?: FileAnswer
}

/** Takes a file of the partner, and shows what would become of it, or what has. */
export async function showFile(
  c: Context<AppEnv>,
  place: MappingPlace,
  { partner, sent, error, answer }: Shown = {},
) {
  const { name } = partner ?? (await findPartner(c.get('db'), place.partnerId))
  const title = `Use a file of ${name}: ${place.resource}`
  const isChecked = answer?.step === 'check' && answer.status < 300
  return showPage(
    c,
    title,
    <article>
      <h1>{title}</h1>
      {answer && <FileResult place={place} answer={answer} />}
      {answer?.step === 'send' && answer.status < 300 ? (
        <a class="button" href={mappingFilePath(place)}>
          Use another file
        </a>
      ) : (
        <form method="post" action={mappingFilePath(place)} data-file-form>
          <FormError error={error ?? null} />
          <p>
            The file goes through the partner's mapping, as if the partner had sent it: CSV, XML,
            JSON or a form. First check it: that changes nothing.
          </p>
          <FileField />
          <TextArea
            label="Its text"
            name="document"
            rows={10}
            value={sent?.raw('document') ?? ''}
            placeholder={'Artikel;Lager;Menge\nTEA-01;D-04;12'}
            error={error ?? null}
          />
          <FormButtons action="Check it" back={mappingPath(place)}>
            {isChecked && (
              <button type="submit" formaction={`${mappingFilePath(place)}send/`}>
                Send it
              </button>
            )}
          </FormButtons>
        </form>
      )}
    </article>,
  )
}
