wrangler deploy --dry-run --outdir dist/worker >/dev/null 2>&1 && node shot2.local.ts 2>&1 | grep -v Passw | grep -v 200
