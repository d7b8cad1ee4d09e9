package dev.skipjack.dashboard;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.deque.html.axecore.playwright.AxeBuilder;
import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.BrowserType;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Playwright;
import com.microsoft.playwright.assertions.LocatorAssertions;
import com.microsoft.playwright.options.AriaRole;
import com.microsoft.playwright.options.ColorScheme;
import dev.skipjack.api.JobStatus;
import dev.skipjack.api.operations.JobQuery;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Opens the pages in Chromium. Skipped if it is not installed; {@code -Dskipjack.browser} names
 * another file than {@code /usr/bin/chromium}. With {@code -Dpictures.write}, writes the picture of
 * the README.
 */
@QueueTest
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class BrowserTest {

  private static final Path CHROMIUM =
      Path.of(System.getProperty("skipjack.browser", "/usr/bin/chromium"));

  private static final Path PICTURE = Path.of("../docs/images/dashboard.png");
  private static final int LARGEST_PICTURE = 150_000;
  private static final double SOON = 30_000;

  private final QueueDatabase database;
  private final JobQueue queue;
  private final List<String> errors = new ArrayList<>();

  private @Nullable Shop shop;
  private @Nullable Dashboard dashboard;
  private @Nullable DashboardServer server;
  private @Nullable Playwright playwright;
  private com.microsoft.playwright.@Nullable Browser browser;
  private @Nullable BrowserContext context;

  BrowserTest(QueueDatabase database) {
    this.database = database;
    this.queue = JobQueue.on(database.dataSource());
  }

  @BeforeAll
  void openBrowser() {
    assumeTrue(Files.isExecutable(CHROMIUM), () -> "Chromium is not installed: " + CHROMIUM);
    dashboard =
        Dashboard.on(queue)
            .access(request -> Optional.of(Access.of("anna", Role.ADMIN).payloads(true)))
            .environment("production", EnvironmentColour.RED)
            .build();
    server = dashboard.serve(0);
    playwright =
        Playwright.create(
            new Playwright.CreateOptions().setEnv(Map.of("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1")));
    browser =
        playwright
            .chromium()
            .launch(
                new BrowserType.LaunchOptions()
                    .setExecutablePath(CHROMIUM)
                    .setArgs(List.of("--no-sandbox")));
  }

  @BeforeEach
  void openShop() throws Exception {
    shop = new Shop(database, queue);
    shop.open();
  }

  @AfterEach
  void closeShop() {
    if (context != null) {
      context.close();
    }
    if (shop != null) {
      shop.close();
    }
  }

  @AfterAll
  void closeBrowser() {
    if (playwright != null) {
      playwright.close();
    }
    if (server != null) {
      server.close();
    }
    if (dashboard != null) {
      dashboard.close();
    }
  }

  /** Opens a window, and collects what the browser reports, such as violations of the policy. */
  private Page window(int width, int height, ColorScheme colours) {
    context =
        browser.newContext(
            new com.microsoft.playwright.Browser.NewContextOptions()
                .setBaseURL(server.address().toString())
                .setViewportSize(width, height)
                .setColorScheme(colours));
    Page page = context.newPage();
    errors.clear();
    page.onConsoleMessage(
        message -> {
          if (message.type().equals("error")) {
            errors.add(message.text());
          }
        });
    page.onPageError(errors::add);
    return page;
  }

  private List<String> pages() {
    return List.of(
        "",
        "minutes?last=24h",
        "queues",
        "queue?name=images",
        "queue?name=imports",
        "jobs",
        "jobs?q=status:dead",
        "jobs/" + first(JobStatus.DEAD),
        "jobs/" + first(JobStatus.RUNNING),
        "running",
        "dead",
        "held",
        "limits",
        "groups?name=declarations",
        "schedules",
        "outbox",
        "workers",
        "doctor",
        "operations",
        "new",
        "preview?action=redrive&q=status:dead");
  }

  private String first(JobStatus status) {
    return queue.reader().list(JobQuery.live().status(status)).jobs().get(0).id().toString();
  }

  @ParameterizedTest
  @CsvSource({"360, LIGHT", "768, DARK", "1440, LIGHT", "1440, DARK"})
  void everyPageIsAccessibleAndFitsItsWindow(int width, ColorScheme colours) {
    Page page = window(width, 900, colours);
    for (String address : pages()) {
      page.navigate(address);

      assertThat(new AxeBuilder(page).analyze().getViolations())
          .as("violations on /%s", address)
          .extracting(violation -> violation.getId() + " " + violation.getNodes())
          .isEmpty();
      assertThat(
              page.evaluate(
                  "document.documentElement.scrollWidth - document.documentElement.clientWidth"))
          .as("columns of /%s beside the window", address)
          .isEqualTo(0);
      assertThat(errors).as("errors on /%s", address).isEmpty();
    }
  }

  @Test
  void aGroupOfDeadJobsIsRedrivenAfterAPreview() {
    Page page = window(1440, 900, ColorScheme.LIGHT);
    page.navigate("dead");
    Locator row = page.locator("tr", new Page.LocatorOptions().setHasText("Card * has expired"));
    row.getByText("Redrive…").click();

    assertThat(page.getByRole(AriaRole.HEADING, named("Redrive jobs?"))).isVisible();
    page.getByRole(AriaRole.BUTTON, button("Redrive 2 jobs")).click();

    assertThat(page.locator("main")).containsText("finished");
    page.navigate("dead");
    assertThat(page.locator("main")).not().containsText("Card * has expired");
    assertThat(errors).isEmpty();
  }

  @Test
  void aStuckQueueIsFoundAndResumed() {
    Page page = window(1440, 900, ColorScheme.DARK);
    page.navigate("");
    assertThat(page.locator(".health")).containsText("Queue imports has been paused by anna");
    page.getByRole(AriaRole.LINK, link("imports")).click();

    page.getByRole(AriaRole.BUTTON, button("Resume")).click();

    assertThat(page.locator("main")).not().containsText("Supplier sends old prices");
    page.getByRole(AriaRole.BUTTON, button("Pause").setExact(true)).first().click();
    assertThat(errors).isEmpty();
  }

  @Test
  void thePagesCanBeUsedWithTheKeyboard() {
    Page page = window(1440, 900, ColorScheme.LIGHT);
    page.navigate("jobs");
    page.keyboard().press("Tab");
    assertThat(page.locator(":focus")).hasText("Skip to the content");
    page.keyboard().press("/");
    assertThat(page.locator(":focus")).hasAttribute("type", "search");
    page.keyboard().type("status:running");
    page.keyboard().press("Enter");

    assertThat(page.locator("tbody tr").first()).containsText("running");
  }

  @Test
  void aPageThatIsOpenShowsWhatChanges() {
    Page page = window(1440, 900, ColorScheme.LIGHT);
    page.navigate("schedules");
    queue.schedules().pause("clean-sessions");
    page.navigate("queue?name=payments");

    queue.admin().pause("payments");

    // The page shows what was read before its last reload.
    assertThat(page.getByText("until it is resumed")).isVisible(soon());
    queue.admin().resume("payments");
    assertThat(page.getByText("until it is resumed")).hasCount(0, soonGone());
  }

  /**
   * The picture in the repository cannot be compared, because it shows times. It shows what a user
   * of some queues sees, because the doctor warns of the settings of the test's server.
   */
  @Test
  void thePictureOfTheReadmeIsSmall() throws IOException {
    if (System.getProperty("pictures.write") != null) {
      Access access =
          Access.of("anna", Role.ADMIN)
              .queues("emails", "images", "imports", "payments", "shipping");
      try (Dashboard some =
              Dashboard.on(queue)
                  .access(request -> Optional.of(access))
                  .environment("production", EnvironmentColour.RED)
                  .build();
          DashboardServer of = some.serve(0)) {
        Page page = window(1280, 900, ColorScheme.LIGHT);
        page.navigate(of.address().toString());
        Files.createDirectories(PICTURE.getParent());
        page.screenshot(new Page.ScreenshotOptions().setPath(PICTURE));
      }
    }

    assertThat(Files.size(PICTURE)).isLessThanOrEqualTo(LARGEST_PICTURE);
  }

  private static LocatorAssertions.IsVisibleOptions soon() {
    return new LocatorAssertions.IsVisibleOptions().setTimeout(SOON);
  }

  private static LocatorAssertions.HasCountOptions soonGone() {
    return new LocatorAssertions.HasCountOptions().setTimeout(SOON);
  }

  private static Page.GetByRoleOptions named(String name) {
    return new Page.GetByRoleOptions().setName(name);
  }

  private static Page.GetByRoleOptions button(String name) {
    return named(name);
  }

  private static Page.GetByRoleOptions link(String name) {
    return named(name).setExact(true);
  }
}
