"""RQ and limits: a queue and rate limiters that others have written."""

import time
import unittest
from datetime import timedelta

import limits
import redis
from rq import Queue, Retry, SimpleWorker
from rq.job import Dependency
from rq.registry import FailedJobRegistry, FinishedJobRegistry

import jobs_for_rq
from servers import Server


class Libraries(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server()

    @classmethod
    def tearDownClass(cls):
        cls.server.stop()

    def setUp(self):
        self.client = redis.Redis(port=self.server.port)
        self.client.flushall()
        self.addCleanup(self.client.close)

    def test_rq_runs_plain_dependent_retried_scheduled_and_failing_jobs(self):
        queue = Queue(connection=self.client)
        plain = queue.enqueue(jobs_for_rq.double, 21)
        after = queue.enqueue(jobs_for_rq.double, 1, depends_on=Dependency(jobs=[plain]))
        retried = queue.enqueue(jobs_for_rq.fail_once, "a", retry=Retry(max=2))
        failing = queue.enqueue(jobs_for_rq.fail)
        later = queue.enqueue_in(timedelta(milliseconds=1), jobs_for_rq.double, 4)
        worker = SimpleWorker([queue], connection=self.client)
        deadline = time.monotonic() + 20
        while not later.is_finished and time.monotonic() < deadline:
            worker.work(burst=True, with_scheduler=False, logging_level="CRITICAL")
            queue.scheduled_job_registry.get_jobs_to_enqueue(int(time.time()) + 2)
            for job_id in queue.scheduled_job_registry.get_job_ids():
                queue.scheduled_job_registry.remove(job_id)
                queue.enqueue_job(later)
        self.assertEqual((plain.return_value(refresh=True), after.return_value(refresh=True)), (42, 2))
        self.assertTrue(retried.is_finished)
        self.assertEqual(later.return_value(refresh=True), 8)
        self.assertTrue(failing.is_failed)
        self.assertEqual(FailedJobRegistry(queue=queue).get_job_ids(), [failing.id])
        self.assertEqual(len(FinishedJobRegistry(queue=queue)), 4)
        self.assertEqual(len(queue), 0)

    def test_limits_counts_in_fixed_moving_and_sliding_windows(self):
        storage = limits.storage.storage_from_string(f"redis://127.0.0.1:{self.server.port}")
        three = limits.parse("3/hour")
        for kind in ("FixedWindow", "MovingWindow", "SlidingWindowCounter"):
            with self.subTest(kind):
                limiter = getattr(limits.strategies, f"{kind}RateLimiter")(storage)
                self.assertEqual([limiter.hit(three, kind) for _ in range(5)], [True] * 3 + [False] * 2)
                self.assertFalse(limiter.test(three, kind))
                self.assertEqual(limiter.get_window_stats(three, kind).remaining, 0)
                self.assertTrue(limiter.test(three, "other"))
        storage.reset()
        self.assertEqual(self.client.dbsize(), 0)


if __name__ == "__main__":
    unittest.main()
