import { keepAddress } from './dashboard/address.ts'
import { watchArrivals } from './dashboard/arrived.ts'
import { offerCopies } from './dashboard/copy.ts'
import { focusError } from './dashboard/errors.ts'
import { takeFiles } from './dashboard/file-field.ts'
import { keepFiltersInAddress } from './dashboard/filters.ts'
import { editMapping, forgetDocuments } from './dashboard/mapping-editor.ts'
import { drawPlots } from './dashboard/plots.ts'
import { goOnSending } from './dashboard/send-again.ts'
import { localTimeFields, localTimes } from './dashboard/times.ts'
import { keepUnsaved } from './dashboard/unsaved.ts'

offerCopies()
keepAddress()
localTimes()
localTimeFields()
keepFiltersInAddress()
void drawPlots()
editMapping()
forgetDocuments()
keepUnsaved()
goOnSending()
takeFiles()
focusError()
watchArrivals()
