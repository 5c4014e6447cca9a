"""The manifests have the shapes that Kubernetes takes, and say of the service what its image and its code say."""

from __future__ import annotations

import copy
import re
import shutil
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.test import Client

from config.launch import commands
from lookups.bulk import queue
from tests.packaging import kubernetes
from tests.packaging.compose import read_services
from tests.packaging.dockerfile import read_steps
from tests.packaging.kubernetes import FOLDER, ROLES, ROOT, Manifest
from tests.packaging.kubernetes_schema import list_faults
from tests.packaging.test_variables import read_by_code

OF_S3 = {"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_DEFAULT_REGION"}  # its own library reads them
SIZES = {"1g": "1Gi", "384m": "384Mi"}
POD = ["spec", "template", "spec"]
WRONG = {
    "a field that there is none of": ("Deployment", POD, "readOnly", True),
    "a list for a number": ("Deployment", [*POD, "containers", 0, "resources", "limits"], "cpu", []),
    "a word in place of another": ("NetworkPolicy", ["spec"], "egresses", []),
    "a metric of no kind": ("HorizontalPodAutoscaler", ["spec", "metrics", 0], "extern", {}),
    "a field too little": ("PodDisruptionBudget", ["spec"], "selector", "web"),
}


def pods() -> Iterator[tuple[str, Manifest]]:
    """The role and the description of each pod."""
    return ((role, template["spec"]) for role, template in kubernetes.list_pods().items())


def containers() -> list[tuple[str, Manifest]]:
    """Every container with its pod's role, those that run before it as well."""
    return [(role, one) for role, pod in pods() for one in (*pod.get("initContainers", []), *pod["containers"])]


def main_of(role: str) -> Manifest:
    """The container that a pod is there for."""
    (only,) = kubernetes.list_pods()[role]["spec"]["containers"]
    return only


def step(word: str) -> str:
    """The last such step of the Dockerfile."""
    return [one.value for one in read_steps((ROOT / "Dockerfile").read_text()) if one.word == word][-1]


class TestAManifest:
    """Each document of deploy/kubernetes, as its file has it."""

    @pytest.mark.parametrize("file", kubernetes.list_files(), ids=lambda path: str(path.relative_to(FOLDER)))
    def test_has_the_shape_that_kubernetes_describes(self, file: Path) -> None:
        faults = [(one["metadata"]["name"], fault) for one in kubernetes.read(file) for fault in list_faults(one)]
        assert faults == []

    @pytest.mark.parametrize("told", WRONG)
    def test_would_be_refused_with(self, told: str) -> None:
        kind, way, name, value = WRONG[told]
        broken = copy.deepcopy(next(one for one in kubernetes.list_all() if one["kind"] == kind))
        place: Any = broken
        for part in way:
            place = place[part]
        place[name] = value
        assert len(list_faults(broken)) == 1

    def test_is_listed_once_where_it_belongs(self) -> None:
        for folder in ("base", "evidence-volume", "example"):
            listed = [one for one in kubernetes.read_kustomization(folder)["resources"] if one.endswith(".yaml")]
            assert sorted(listed) == [path.name for path in kubernetes.list_files() if path.parent.name == folder]

    def test_is_put_together_by_kustomize(self, tmp_path: Path) -> None:
        program = shutil.which("kubectl")
        if program is None:
            pytest.skip("kubectl is not on this machine")
        shutil.copytree(FOLDER, tmp_path / "kubernetes")
        example = tmp_path / "kubernetes" / "example"
        for name in ("secrets.env", "owner.env"):
            shutil.copy(example / f"{name}.example", example / name)
        done = subprocess.run([program, "kustomize", example], capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, done.stderr
        made = list(yaml.safe_load_all(done.stdout))
        assert [fault for one in made for fault in list_faults(one)] == []
        shown = [one["spec"]["template"]["spec"]["volumes"] for one in made if one["kind"] == "Deployment"]
        assert [[volume["name"] for volume in volumes][-1] for volumes in shown] == ["evidence"] * len(ROLES)


class TestAPod:
    """What runs of the image."""

    def test_starts_what_the_compose_file_starts(self) -> None:
        for role in (*ROLES, "migrate"):
            assert main_of(role)["command"] == read_services()[role]["command"]
        assert f"CMD {main_of('web')['command']}".replace("'", '"') == f"CMD {step('CMD')}"

    def test_runs_commands_that_there_are(self) -> None:
        own = {path.stem for path in ROOT.glob("*/management/commands/*.py")}
        started = [" ".join(one["command"]) for _, one in containers()]
        named = [word for line in started for word in re.findall(r"manage\.py (\w+)", line)]
        assert len(named) == len(ROLES) + 2
        assert set(named) <= own

    def test_waits_for_tables_of_its_version(self) -> None:
        for role in ROLES:
            (first,) = kubernetes.list_pods()[role]["spec"]["initContainers"]
            assert first["command"] == ["python", "manage.py", "migrate", "--check"]

    def test_may_do_nothing_that_it_does_not_need(self) -> None:
        user, _, group = step("USER").partition(":")
        for role, pod in pods():
            assert pod["automountServiceAccountToken"] is pod["enableServiceLinks"] is False, role
            who = {"runAsNonRoot": True, "runAsUser": int(user), "runAsGroup": int(group), "fsGroup": int(group)}
            assert who.items() <= pod["securityContext"].items(), role
            assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}, role
        for role, one in containers():
            assert one["securityContext"] == {
                "allowPrivilegeEscalation": False,
                "readOnlyRootFilesystem": True,
                "capabilities": {"drop": ["ALL"]},
            }, role

    def test_writes_where_the_image_lets_it(self) -> None:
        folder = next(one for one in step("ENV").split() if one.startswith("VAR_DIR=")).partition("=")[2]
        for role, pod in pods():
            assert all("sizeLimit" in volume["emptyDir"] for volume in pod["volumes"]), role
        for role, one in containers():
            assert {mount["mountPath"] for mount in one["volumeMounts"]} == {"/tmp", folder}, role

    def test_has_what_it_wants_and_what_it_may_have_at_most(self) -> None:
        for role, one in containers():
            assert set(one["resources"]["requests"]) == set(one["resources"]["limits"]) == {"cpu", "memory"}, role
        for role in ROLES:
            assert main_of(role)["resources"]["limits"]["memory"] == SIZES[read_services()[role]["mem_limit"]]

    def test_has_time_to_end_what_it_has_begun(self) -> None:
        for role, pod in pods():
            grace = read_services()[role].get("stop_grace_period", "10s") if role != "migrate" else "10s"
            assert pod.get("terminationGracePeriodSeconds", 30) >= int(grace.removesuffix("s"))
        pause = main_of("web")["lifecycle"]["preStop"]["sleep"]["seconds"]
        assert kubernetes.list_pods()["web"]["spec"]["terminationGracePeriodSeconds"] > commands.stop_seconds() + pause

    def test_is_of_the_image_of_this_version(self) -> None:
        version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
        assert {one["image"] for _, one in containers()} == {"sos-lookup"}
        for folder in ("base", "example"):
            (image,) = kubernetes.read_kustomization(folder)["images"]
            assert (image["name"], image["newTag"]) == ("sos-lookup", version)


class TestAProbe:
    """How the cluster learns that a process lives, and that it could serve."""

    def test_of_a_web_server_asks_what_answers_without_tls(self) -> None:
        exempt = re.search(r'SECURE_REDIRECT_EXEMPT = \[r"(.+)"\]', (ROOT / "config/settings/prod.py").read_text())
        hosts = kubernetes.read_variables("settings.env")["ALLOWED_HOSTS"].split(",")
        web = main_of("web")
        asked = {name: web[name]["httpGet"] for name in ("livenessProbe", "readinessProbe", "startupProbe")}
        assert {name: one["path"] for name, one in asked.items()} == {
            "livenessProbe": "/livez",
            "startupProbe": "/livez",
            "readinessProbe": "/readyz",
        }
        for one in asked.values():
            (header,) = one["httpHeaders"]
            assert exempt
            assert re.match(exempt[1], one["path"].removeprefix("/"))
            assert header["name"] == "Host"
            assert header["value"] in hosts

    def test_of_a_queue_s_process_looks_for_its_own_heartbeat_and_ends_nobody(self) -> None:
        for role in ("worker", "bulk", "beat"):
            one, check = main_of(role), read_services()[role]["healthcheck"]
            assert one["readinessProbe"]["exec"]["command"] == check["test"][1:]
            assert one["readinessProbe"]["timeoutSeconds"] == int(check["timeout"].removesuffix("s"))
            assert "livenessProbe" not in one

    def test_reaches_the_port_of_the_image(self) -> None:
        (port,) = main_of("web")["ports"]
        assert port == {"name": "http", "containerPort": int(step("EXPOSE"))}
        for name in ("web", "web-servers"):
            assert kubernetes.find("Service", name)["spec"]["ports"][0]["targetPort"] == "http"
        (rule,) = kubernetes.find("NetworkPolicy", "callers")["spec"]["ingress"]
        assert rule["ports"] == [{"protocol": "TCP", "port": port["containerPort"]}]


class TestTheSettings:
    """What the pods get as their environment."""

    def test_are_variables_that_the_service_reads(self) -> None:
        literals = {
            line.partition("=")[0]
            for folder in ("base", "evidence-volume")
            for made in kubernetes.read_kustomization(folder)["configMapGenerator"]
            for line in made["literals"]
        }
        files = ("settings.env", "secrets.env.example", "owner.env.example")
        named = literals.union(*(kubernetes.read_variables(name) for name in files))
        assert named - set(read_by_code()) == OF_S3
        assert named >= {"SECRET_KEY", "ALLOWED_HOSTS", "CONTACT", "DATABASE_URL", "REDIS_URL", "EVIDENCE_STORE"}

    def test_come_by_reference_alone(self) -> None:
        for role, one in containers():
            assert "env" not in one
            named = [source.get("secretRef", source.get("configMapRef"))["name"] for source in one["envFrom"]]
            assert named == ["settings", "secrets", *(["owner"] if role == "migrate" else [])]
        made = kubernetes.read_kustomization("example")["secretGenerator"]
        assert {one["name"]: one["envs"] for one in made} == {"secrets": ["secrets.env"], "owner": ["owner.env"]}

    def test_hold_no_secret(self) -> None:
        for name in ("secrets.env.example", "owner.env.example"):
            assert set(kubernetes.read_variables(name).values()) == {""}
        assert not any(one["kind"] == "Secret" for one in kubernetes.list_all())
        ignored = (ROOT / ".gitignore").read_text().splitlines()
        assert {"deploy/kubernetes/**/secrets.env", "deploy/kubernetes/**/owner.env"} <= set(ignored)

    def test_keep_evidence_where_all_of_them_find_it(self) -> None:
        volume = kubernetes.read_kustomization("evidence-volume")
        (place,) = volume["configMapGenerator"][0]["literals"]
        folder = place.removeprefix("EVIDENCE_STORE=")
        assert folder == read_services()["web"]["environment"]["EVIDENCE_STORE"].removesuffix("}").partition(":-")[2]
        claim, mount = (one["value"] for one in yaml.safe_load(volume["patches"][0]["patch"]))
        assert (claim["name"], claim["persistentVolumeClaim"]) == (mount["name"], {"claimName": "evidence"})
        assert mount["mountPath"] == folder
        assert kubernetes.find("PersistentVolumeClaim", "evidence")["spec"]["accessModes"] == ["ReadWriteMany"]


class TestHowMany:
    """Replicas."""

    def test_of_the_clock_there_is_one(self) -> None:
        beat = kubernetes.find("Deployment", "beat")["spec"]
        assert (beat["replicas"], beat["strategy"]) == (1, {"type": "Recreate"})

    def test_of_the_others_as_many_as_their_work_wants(self) -> None:
        for role in ("web", "worker", "bulk"):
            assert "replicas" not in kubernetes.find("Deployment", role)["spec"], "the autoscaler's to say"
            scaled = kubernetes.find("HorizontalPodAutoscaler", role)["spec"]
            assert scaled["scaleTargetRef"] == {"apiVersion": "apps/v1", "kind": "Deployment", "name": role}
            assert kubernetes.find("PodDisruptionBudget", role)
        scaled = [one["metadata"]["name"] for one in kubernetes.list_all() if one["kind"] == "HorizontalPodAutoscaler"]
        assert scaled == ["web", "worker", "bulk"]

    def test_are_chosen_by_labels_that_pods_have(self) -> None:
        labels = [template["metadata"]["labels"] for template in kubernetes.list_pods().values()]
        for one in kubernetes.list_all():
            if one["kind"] in ("Deployment", "Service", "PodDisruptionBudget"):
                wanted = one["spec"]["selector"]
                wanted = wanted.get("matchLabels", wanted)
                assert any(wanted.items() <= have.items() for have in labels), one["metadata"]["name"]

    @pytest.mark.django_db
    def test_scale_by_numbers_that_the_service_exports(self, settings: Any, switches: None) -> None:
        settings.METRICS_TOKEN = "letmein"
        page = Client().get("/metrics", headers={"authorization": "Bearer letmein"}).content.decode()
        rules = yaml.safe_load((FOLDER / "adapter.yaml").read_text())["externalRules"]
        queries = {rule["name"]["as"]: rule["metricsQuery"] for rule in rules}
        wanted = {
            metric["external"]["metric"]["name"]
            for one in kubernetes.list_all()
            if one["kind"] == "HorizontalPodAutoscaler"
            for metric in one["spec"]["metrics"]
            if metric["type"] == "External"
        }
        assert set(queries) == wanted
        for query in queries.values():
            for name, labels in re.findall(r"(sos_lookup_\w+)\{([^}]*)\}", query):
                assert re.search(rf"^{name}\{{{re.escape(labels)}\}} ", page, re.MULTILINE), (name, labels)
        nine_of_ten = re.search(r"> bool (\d+) ", queries["sos_lookup_bulk_queue_age_seconds"])
        assert nine_of_ten
        assert int(nine_of_ten[1]) == queue.THREADS * 9 // 10


class TestTheNetwork:
    """Who may speak with whom."""

    def test_is_shut_but_for_what_is_named(self) -> None:
        shut = kubernetes.find("NetworkPolicy", "nobody")["spec"]
        assert shut == {"podSelector": {}, "policyTypes": ["Ingress", "Egress"]}

    def test_lets_nobody_ask_into_private_networks_for_a_customer(self) -> None:
        spec = kubernetes.find("NetworkPolicy", "internet")["spec"]
        v4, v6 = (place["ipBlock"] for place in spec["egress"][0]["to"])
        assert (v4["cidr"], v6["cidr"]) == ("0.0.0.0/0", "::/0")
        assert {"10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "169.254.0.0/16", "127.0.0.0/8"} <= set(v4["except"])
        assert {"fc00::/7", "fe80::/10", "::1/128"} <= set(v6["except"])
        (asks,) = [one["values"] for one in spec["podSelector"]["matchExpressions"]]
        assert set(asks) == set(ROLES) - {"beat"}
