import { EACH, type Path } from '../../../engine/json/path.ts'

const SKUS =
  'sku skucode skunumber itemsku sellersku merchantsku offersku shopsku variantsku productsku articlecode articlenumber articleno articlenr article itemcode itemnumber itemno item productcode productnumber artikel artikelnummer artikelnr material materialnumber partnumber ean gtin barcode upc externalid productid'
const PLACES =
  'locationcode locationid location bincode bin lagerort lagerplatz lager warehousecode warehouseid warehouse facilitycode facilityid facility sitecode site storagelocation shelf slot fulfillmentcenterid'

/**
 * How partners call our fields, the surest first: names that a path may end with, and after the bar those
 * that say enough only if nothing else stands before them, as `number` in `header.number`.
 */
const NAMES: Record<string, string> = {
  order_number:
    'ordernumber orderno ordernr ordername incrementid orderreference orderref purchaseordernumber ponumber documentnumber orderdisplayid displayid amazonorderid purchaseorderid | number no nr name reference code',
  external_order_id:
    'externalorderid externalid orderid orderkey sourceid entityid uuid guid systemid purchaseorderid | id key',
  customer_name:
    'customername buyername recipientname shiptoname shippingname shippingaddressname fullname deliveryname contactname customercompany billingname billingcompany billingaddressname company | customer buyer recipient',
  customer_info:
    'customerinfo shippingaddress shipto shipping deliveryaddress recipient customer buyer billingaddress billing',
  notes:
    'notes note comments comment remarks remark memo customernote customermessage buyernote buyermessage message instructions deliveryinstructions description | text',
  order_date:
    'orderdate ordereddate orderedat createdat datecreated createddate creationdate createdtime createdtimestamp createtime placedat dateplaced purchasedate submittedat datecreatedgmt | date created timestamp',
  due_date:
    'duedate shipby shipbydate latestshipdate requestedshipdate requesteddeliverydate requesteddelivery deliverydate deliverby latestdeliverydate shippingdeadline expectedshipdate promiseddate estimatedshipdate | due',
  status: 'orderstatus orderstate status state',
  sku_code: `${SKUS} | code id`,
  sku: `${SKUS} | code number id`,
  quantity:
    'quantity qty amount count units pieces qtyordered orderedqty quantityordered orderedquantity orderquantity requestedquantity onhand qtyonhand quantityonhand available availablequantity stock stockquantity inventoryquantity qoh balance level menge bestand anzahl',
  if_quantity:
    'ifquantity expectedquantity previousquantity oldquantity comparequantity changefromquantity',
  location_code: `${PLACES} | code id name`,
  code: `${PLACES} | code id number`,
  name: 'locationname displayname label title | name description',
  zone: 'zonecode zone area section',
  aisle: 'aisle row lane',
  cost: 'cost unitcost costprice purchaseprice standardcost price',
  is_active: 'isactive active isenabled enabled published',
}

const KNOWN = new Map(
  Object.entries(NAMES).map(([field, names]) => [
    field,
    names.split('|').map((part) => part.trim().split(' ')),
  ]),
)

// Objects that only wrap the record.
const WRAPPERS =
  /^(?:header|order|orders|document|data|record|attributes|fields|payload|body|root|node|salesorder)$/

/** A name as it is compared: `orderNo` and `order_no` are one. */
export function plainName(name: string): string {
  return name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')
}

/** How well the path's names fit our field's: 0 is the same name; null if they do not fit. */
export function rankOf(field: string, path: Path): number | null {
  const names = path.slice(path.lastIndexOf(EACH) + 1).filter((step) => typeof step === 'string')
  const plain = (names.length > 0 ? names : path.filter((step) => typeof step === 'string')).map(
    plainName,
  )
  const whole = plain.filter((name, at) => at === plain.length - 1 || !WRAPPERS.test(name)).join('')
  const endings = [1, 2, 3].map((count) => plain.slice(-count).join(''))
  const own = plainName(field)
  if (endings.includes(own)) return 0
  const [sure = [], alone = []] = KNOWN.get(field) ?? []
  const ranks = [
    ...endings.map((ending) => sure.indexOf(ending)),
    alone.indexOf(whole) === -1 ? -1 : sure.length + alone.indexOf(whole),
  ].filter((rank) => rank !== -1)
  return ranks.length > 0 ? 1 + Math.min(...ranks) : null
}
