import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

export interface BenchmarkResult {
  test: string;
  perSecond: number;
  /** Milliseconds. */
  p50: number;
  p99: number;
}

const tests = ['ping_inline', 'ping_mbulk', 'set', 'get', 'incr', 'lpush'];

/** Runs the real redis-benchmark; it fails when the server answers with an error. */
export async function runBenchmark(
  port: number,
  load: {
    requests: number;
    clients: number;
    pipeline?: number;
    tests?: string[];
    /** In the place of tests. */
    command?: string[];
  },
): Promise<BenchmarkResult[]> {
  const options: Record<string, string | number> = {
    '-h': '127.0.0.1',
    '-p': port,
    '-n': load.requests,
    '-c': load.clients,
    '-P': load.pipeline ?? 1,
    ...(load.command === undefined && { '-t': (load.tests ?? tests).join(',') }),
  };
  const args = Object.entries(options).flatMap(([name, value]) => [name, String(value)]);
  const { stdout, stderr } = await promisify(execFile)('redis-benchmark', [
    ...args,
    '--csv',
    ...(load.command ?? []),
  ]);
  if (stderr !== '') throw new Error(`redis-benchmark says: ${stderr}`);
  return readCsv(stdout);
}

// "test","rps","avg_latency_ms","min_latency_ms","p50_latency_ms","p95_latency_ms","p99_latency_ms","max_latency_ms"
function readCsv(csv: string): BenchmarkResult[] {
  const rows = csv.trim().split('\n').slice(1);
  return rows.map((row) => {
    const cells = row.split(',').map((cell) => cell.replaceAll('"', ''));
    return {
      test: cells[0]!,
      perSecond: Number(cells[1]),
      p50: Number(cells[4]),
      p99: Number(cells[6]),
    };
  });
}
