package dev.skipjack.dashboard;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The route table. {@code AccessMatrixTest} sends a request of every role to each of its routes.
 */
final class Routes {

  private Routes() {}

  static List<Route> all() {
    List<Route> routes = new ArrayList<>();
    both(routes, "/", new NowScreen());
    both(routes, "/queues", new QueuesScreen());
    both(routes, "/queue", new QueueScreen());
    JobsScreen jobs = new JobsScreen();
    routes.add(new Route(Route.GET, "/jobs", Role.VIEWER, false, jobs::page));
    routes.add(Route.json("/jobs", jobs));
    both(routes, "/jobs/{id}", new JobScreen());
    both(routes, "/running", new RunningScreen());
    both(routes, "/dead", new DeadScreen());
    both(routes, "/keys", new KeysScreen());
    both(routes, "/schedules", new SchedulesScreen());
    both(routes, "/outbox", new OutboxScreen());
    both(routes, "/workers", new WorkersScreen());
    both(routes, "/doctor", new DoctorScreen());
    both(routes, "/operations", new OperationsScreen());
    both(routes, "/operations/{id}", new OperationScreen());
    routes.add(Route.page("/preview", new PreviewScreen()));

    routes.add(Route.change("/jobs/{id}/cancel", Role.OPERATOR, false, JobChanges::cancel));
    routes.add(Route.change("/jobs/{id}/redrive", Role.OPERATOR, false, JobChanges::redrive));
    routes.add(Route.change("/jobs/{id}/run-now", Role.OPERATOR, false, JobChanges::runNow));
    routes.add(Route.change("/jobs/{id}/edit", Role.ADMIN, false, JobChanges::edit));
    routes.add(Route.change("/jobs/{id}/prune", Role.ADMIN, false, JobChanges::prune));
    routes.add(Route.change("/queue/pause", Role.OPERATOR, false, QueueChanges::pause));
    routes.add(Route.change("/queue/resume", Role.OPERATOR, false, QueueChanges::resume));
    routes.add(Route.change("/keys/unblock", Role.OPERATOR, false, QueueChanges::unblock));
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

  private static <M extends Record> void both(List<Route> routes, String path, Screen<M> screen) {
    routes.add(Route.page(path, screen));
    routes.add(Route.json(path, screen));
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
    return Response.seeOther(visit.link("/").text())
        .with(
            "Set-Cookie",
            Session.cookie(Login.COOKIE, "", visit.request().secure()) + "; Max-Age=0");
  }
}
