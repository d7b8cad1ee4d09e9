package dev.skipjack.dashboard;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The route table. {@code AccessMatrixTest} sends a request of every role to each of its routes.
 */
final class Routes {

  private Routes() {}

  static List<Route> all() {
    List<Route> routes = new ArrayList<>();
    Map<String, Screen<?>> screens = screens();
    screens.forEach(
        (path, screen) -> {
          routes.add(Route.page(path, Role.VIEWER, screen));
          routes.add(Route.json(path, screen));
        });
    // The id of a job as the filter leads to the job.
    routes.removeIf(route -> route.path().equals("/jobs"));
    routes.add(new Route(Route.GET, "/jobs", Role.VIEWER, false, new JobsScreen()::page));
    routes.add(
        new Route(
            Route.GET,
            OpenApi.PATH,
            Role.VIEWER,
            false,
            visit -> Response.json(200, OpenApi.of(screens))));
    routes.add(Route.page("/preview", Role.OPERATOR, new PreviewScreen()));
    routes.add(Route.page("/new", Role.ADMIN, new NewJobScreen()));

    routes.add(Route.change("/new", Role.ADMIN, false, NewJobs::enqueue));
    routes.add(Route.change("/jobs/{id}/cancel", Role.OPERATOR, false, JobChanges::cancel));
    routes.add(Route.change("/jobs/{id}/redrive", Role.OPERATOR, false, JobChanges::redrive));
    routes.add(Route.change("/jobs/{id}/run-now", Role.OPERATOR, false, JobChanges::runNow));
    routes.add(Route.change("/jobs/{id}/edit", Role.ADMIN, false, JobChanges::edit));
    routes.add(Route.change("/jobs/{id}/prune", Role.ADMIN, false, JobChanges::prune));
    routes.add(Route.change("/queue/pause", Role.OPERATOR, false, QueueChanges::pause));
    routes.add(Route.change("/queue/resume", Role.OPERATOR, false, QueueChanges::resume));
    routes.add(Route.change("/queue/settings", Role.ADMIN, false, QueueChanges::configure));
    routes.add(Route.change("/keys/unblock", Role.OPERATOR, false, QueueChanges::unblock));
    routes.add(Route.change("/limits/set", Role.ADMIN, true, LimitChanges::set));
    routes.add(Route.change("/limits/remove", Role.ADMIN, true, LimitChanges::remove));
    routes.add(Route.change("/limits/reset", Role.ADMIN, true, LimitChanges::reset));
    routes.add(Route.change("/groups/pause", Role.OPERATOR, false, LimitChanges::pauseGroup));
    routes.add(Route.change("/groups/resume", Role.OPERATOR, false, LimitChanges::resumeGroup));
    routes.add(Route.change("/groups/settings", Role.ADMIN, false, LimitChanges::configureGroup));
    routes.add(Route.change("/schedules/pause", Role.OPERATOR, false, ScheduleChanges::pause));
    routes.add(Route.change("/schedules/resume", Role.OPERATOR, false, ScheduleChanges::resume));
    routes.add(Route.change("/schedules/fire", Role.OPERATOR, false, ScheduleChanges::fire));
    routes.add(Route.change("/outbox/redrive", Role.OPERATOR, true, OutboxChanges::redrive));
    routes.add(Route.change("/outbox/unblock", Role.OPERATOR, true, OutboxChanges::unblock));
    routes.add(Route.change("/operations", Role.OPERATOR, false, OperationChanges::start));
    routes.add(Route.change("/operations/{id}/stop", Role.OPERATOR, false, OperationChanges::stop));
    routes.add(
        Route.change("/operations/{id}/continue", Role.OPERATOR, false, OperationChanges::resume));

    routes.add(new Route(Route.POST, "/theme", Role.VIEWER, false, Routes::theme));
    routes.add(new Route(Route.POST, "/logout", Role.VIEWER, false, Routes::logout));
    return List.copyOf(routes);
  }

  /** Returns the pages whose models are also available as JSON, by path. */
  private static Map<String, Screen<?>> screens() {
    Map<String, Screen<?>> screens = new LinkedHashMap<>();
    screens.put("/", new NowScreen());
    screens.put("/queues", new QueuesScreen());
    screens.put("/queue", new QueueScreen());
    screens.put(MinutesScreen.PATH, new MinutesScreen());
    screens.put("/jobs", new JobsScreen());
    screens.put("/jobs/{id}", new JobScreen());
    screens.put("/running", new RunningScreen());
    screens.put("/dead", new DeadScreen());
    screens.put(HeldScreen.PATH, new HeldScreen());
    screens.put(LimitsScreen.PATH, new LimitsScreen());
    screens.put(GroupsScreen.PATH, new GroupsScreen());
    screens.put("/schedules", new SchedulesScreen());
    screens.put("/outbox", new OutboxScreen());
    screens.put("/workers", new WorkersScreen());
    screens.put("/doctor", new DoctorScreen());
    screens.put("/operations", new OperationsScreen());
    screens.put("/operations/{id}", new OperationScreen());
    return screens;
  }

  private static Response theme(Visit visit) {
    String wanted = visit.request().field("theme").orElse("").toUpperCase(Locale.ROOT);
    for (Theme theme : Theme.values()) {
      if (theme.name().equals(wanted)) {
        return Response.seeOther(back(visit))
            .with(
                "Set-Cookie",
                Session.cookie(
                        Theme.COOKIE, wanted.toLowerCase(Locale.ROOT), visit.request().secure())
                    + "; Max-Age=31536000");
      }
    }
    throw Refusal.badInput("There is no such theme.");
  }

  private static String back(Visit visit) {
    return visit.link("/").text();
  }

  private static Response logout(Visit visit) {
    boolean secure = visit.request().secure();
    return Response.seeOther(visit.link("/").text())
        .with(
            "Set-Cookie",
            Session.cookie(Session.name(Login.COOKIE, secure), "", secure) + "; Max-Age=0");
  }
}
