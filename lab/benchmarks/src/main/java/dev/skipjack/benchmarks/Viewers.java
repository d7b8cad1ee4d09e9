package dev.skipjack.benchmarks;

import dev.skipjack.dashboard.Dashboard;
import dev.skipjack.dashboard.Request;
import dev.skipjack.dashboard.Response;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Operators who have the dashboard open. Each opens a page, lets it reload as its script would, and
 * opens the next page after a while, so that together they see all pages.
 */
final class Viewers {

  /** How long a viewer stays on a page. */
  private static final long STAY = TimeUnit.SECONDS.toNanos(10);

  private static final Pattern RELOAD = Pattern.compile(" data-reload=\"([0-9]+)\"");
  private static final Pattern NAVIGATION =
      Pattern.compile("<nav aria-label=\"Pages\">(.*?)</nav>", Pattern.DOTALL);
  private static final Pattern LINK = Pattern.compile(" href=\"([^\"]*)\"");

  private final Dashboard dashboard;
  private final List<Page> pages;
  private final Seen seen;
  private final CountDownLatch closed = new CountDownLatch(1);
  private final List<Thread> threads = new ArrayList<>();
  private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

  private Viewers(Dashboard dashboard, List<Page> pages, Seen seen) {
    this.dashboard = dashboard;
    this.pages = pages;
    this.seen = seen;
  }

  /**
   * A page.
   *
   * @param query its parameters
   */
  record Page(String path, Map<String, List<String>> query) {

    /** Returns the address, without the number of a job. */
    String name() {
      return path.replaceFirst("[0-9]+$", "{id}")
          + query.entrySet().stream()
              .map(one -> "?" + one.getKey() + "=" + one.getValue().get(0))
              .collect(Collectors.joining());
    }

    Request request(@Nullable String tag) {
      Map<String, List<String>> headers = new LinkedHashMap<>();
      headers.put("Host", List.of("localhost"));
      headers.put("Cookie", List.of("skipjack_session=" + "x".repeat(32)));
      if (tag != null) {
        headers.put("If-None-Match", List.of(tag));
      }
      return new Request("GET", path, headers, query, Map.of(), null, role -> false, false);
    }
  }

  /** The durations of the responses. Safe for any number of threads. */
  static final class Seen {

    private final Latencies all = new Latencies();
    private final Map<String, Latencies> pages = new ConcurrentHashMap<>();
    private final AtomicLong degraded = new AtomicLong();

    private void add(Page page, Response response, long nanos) {
      all.addNanos(nanos);
      pages.computeIfAbsent(page.name(), none -> new Latencies()).addNanos(nanos);
      if (html(response).contains("class=\"problem\"")) {
        degraded.incrementAndGet();
      }
    }

    Latencies all() {
      return all;
    }

    Map<String, Latencies> pages() {
      return new TreeMap<>(pages);
    }

    /** Returns how many responses had a part that could not be read in time. */
    long degraded() {
      return degraded.get();
    }
  }

  /** Returns the pages to which every page links. */
  static List<Page> navigation(Dashboard dashboard) {
    String first = html(dashboard.handle(new Page("/", Map.of()).request(null)));
    Matcher navigation = NAVIGATION.matcher(first);
    if (!navigation.find()) {
      throw new IllegalStateException("The first page has no navigation: " + first);
    }
    List<Page> pages = new ArrayList<>();
    Matcher links = LINK.matcher(navigation.group(1));
    while (links.find()) {
      pages.add(new Page("/" + links.group(1).replaceFirst("^\\./", ""), Map.of()));
    }
    return pages;
  }

  /** Does some work while viewers have the dashboard open, each beginning at another page. */
  static <R> R during(
      Dashboard dashboard, int number, List<Page> pages, Seen seen, Callable<R> work)
      throws Exception {
    Viewers viewers = new Viewers(dashboard, pages, seen);
    for (int i = 0; i < number; i++) {
      int first = i;
      Thread thread = new Thread(() -> viewers.view(first), "viewer-" + i);
      viewers.threads.add(thread);
      thread.start();
    }
    R result;
    try {
      result = work.call();
    } finally {
      viewers.end();
    }
    viewers.requireNoFailure();
    return result;
  }

  private void view(int first) {
    try {
      for (int i = first; !sleeps(TimeUnit.MILLISECONDS.toNanos(random(500))); i++) {
        stay(pages.get(i % pages.size()));
      }
    } catch (Throwable thrown) {
      failure.compareAndSet(null, thrown);
    }
  }

  private static long random(int bound) {
    return ThreadLocalRandom.current().nextInt(bound);
  }

  private void stay(Page page) throws InterruptedException {
    long end = System.nanoTime() + STAY;
    Response response = get(page, null);
    Matcher reload = RELOAD.matcher(html(response));
    long pause = reload.find() ? TimeUnit.SECONDS.toNanos(Long.parseLong(reload.group(1))) : STAY;
    while (!sleeps(Math.min(pause, Math.max(1, end - System.nanoTime())))
        && System.nanoTime() - end < 0) {
      Response again = get(page, tag(response));
      response = again.status() == 304 ? response : again;
    }
  }

  private Response get(Page page, @Nullable String tag) {
    long begin = System.nanoTime();
    Response response = dashboard.handle(page.request(tag));
    long nanos = System.nanoTime() - begin;
    if (response.status() != 200 && response.status() != 304) {
      throw new IllegalStateException(
          "Page %s has status %d: %s".formatted(page.name(), response.status(), html(response)));
    }
    seen.add(page, response, nanos);
    return response;
  }

  private static @Nullable String tag(Response response) {
    return response.headers().stream()
        .filter(header -> header.name().equals("ETag"))
        .map(Response.Header::value)
        .findFirst()
        .orElse(null);
  }

  private static String html(Response response) {
    return new String(response.body(), StandardCharsets.UTF_8);
  }

  /** Waits. Returns whether the viewers were closed meanwhile. */
  private boolean sleeps(long nanos) throws InterruptedException {
    return closed.await(nanos, TimeUnit.NANOSECONDS);
  }

  private void end() throws InterruptedException {
    closed.countDown();
    for (Thread thread : threads) {
      thread.join();
    }
  }

  private void requireNoFailure() {
    Throwable thrown = failure.get();
    if (thrown != null) {
      throw new IllegalStateException("A viewer failed: " + thrown.getMessage(), thrown);
    }
  }
}
