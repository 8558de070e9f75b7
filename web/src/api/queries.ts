// What the server knows, by name; TanStack Query keeps it fresh. Nothing is kept beyond the page.
import { QueryClient, useQuery } from '@tanstack/react-query'
import { all, ApiError, get, segment, setCsrf } from './client'
import type { BundleInfo, BundleSummary, ClusterStatus, ClusterSummary, DraftSummary, ErrorInfo, JsonObject, RunRow, RunShow, SecretState, Session, Settings, StepInfo, Token } from './types'

export const client = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 2_000,
      retry: (failures, error) => failures < 2 && !(error instanceof ApiError && error.status >= 400 && error.status < 500),
    },
  },
})

async function readSession(): Promise<Session> {
  const session = await get<Session>('/session')
  setCsrf(session.csrf)
  return session
}

// Asked again and again while it cannot be read: whoever opened the page before the server need not load it anew.
export const useSession = () =>
  useQuery({ queryKey: ['session'], queryFn: readSession, staleTime: 60_000, refetchInterval: ({ state }) => (state.status === 'error' ? 2_000 : false) })

export const useClusters = (every = 3_000) =>
  useQuery({ queryKey: ['clusters'], queryFn: () => all<ClusterSummary>('/clusters'), refetchInterval: every })

export const useDrafts = () => useQuery({ queryKey: ['specs'], queryFn: () => all<DraftSummary>('/specs') })

export const useCluster = (name: string, every?: number) =>
  useQuery({ queryKey: ['cluster', name], queryFn: () => get<ClusterStatus>(`/clusters/${segment(name)}`), refetchInterval: every })

export const useRuns = (name: string, enabled = true) =>
  useQuery({ queryKey: ['runs', name], queryFn: () => all<RunRow>(`/clusters/${segment(name)}/runs`), enabled })

export const useRunShow = (name: string, run: string, enabled: boolean) =>
  useQuery({ queryKey: ['run-show', name, run], queryFn: () => get<RunShow>(`/clusters/${segment(name)}/runs/${segment(run)}`), enabled })

export const useSteps = () =>
  useQuery({ queryKey: ['steps'], queryFn: async () => (await get<{ steps: StepInfo[] }>('/steps')).steps, staleTime: Infinity })

export const useSchema = () => useQuery({ queryKey: ['schema'], queryFn: () => get<JsonObject>('/schema'), staleTime: Infinity })

export const useMeaning = (id: string) =>
  useQuery({ queryKey: ['meaning', id], queryFn: () => get<ErrorInfo>(`/errors/${segment(id)}`), staleTime: Infinity })

export const useBundles = (every?: number) =>
  useQuery({ queryKey: ['bundles'], queryFn: () => all<BundleSummary>('/bundles'), refetchInterval: every })

export const useBundle = (name: string, enabled = true) =>
  useQuery({ queryKey: ['bundle', name], queryFn: () => get<BundleInfo>(`/bundles/${segment(name)}`), enabled })

export const useSecrets = (draft: string, etag: string, enabled: boolean) =>
  useQuery({ queryKey: ['secrets', draft, etag], queryFn: () => all<SecretState>(`/specs/${segment(draft)}/secrets`), enabled, placeholderData: (before) => before })

export const useTokens = () => useQuery({ queryKey: ['tokens'], queryFn: () => all<Token>('/tokens') })

export const useSettings = () => useQuery({ queryKey: ['settings'], queryFn: () => get<Settings>('/settings') })

export const kLive = new Set(['running', 'paused', 'cancelling', 'validating'])

export function liveRun(clusters: ClusterSummary[] | undefined): { cluster: string; run: number } | undefined {
  const live = clusters?.find((cluster) => cluster.run && kLive.has(cluster.run.state))
  return live?.run && { cluster: live.name, run: live.run.id }
}
