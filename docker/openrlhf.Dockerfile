# rewardlab with the engine openrlhf, for GPUs and clusters. From the root of the repository:
#   docker build -f docker/openrlhf.Dockerfile -t rewardlab-openrlhf .           (compiles flash-attn: long)
#   docker run --rm --gpus all --shm-size 16g -v "$PWD:/work" rewardlab-openrlhf run sp3f --dry-run
# On a cluster every node runs this image; docs/cluster.md has Ray's commands (`--entrypoint ray`) and Kubernetes.
FROM nvidia/cuda:13.0.1-devel-ubuntu24.04

RUN apt-get update && apt-get install -y --no-install-recommends python3 python3-dev python3-venv git ninja-build \
 && rm -rf /var/lib/apt/lists/* \
 && python3 -m venv /environment
ENV PATH=/environment/bin:$PATH CUDA_HOME=/usr/local/cuda

COPY pyproject.toml README.md LICENSE CHANGELOG.md requirements-build.txt /rewardlab/
COPY core /rewardlab/core
COPY recipes /rewardlab/recipes
COPY plugins /rewardlab/plugins
# As in docs/cluster.md: vLLM first, which brings its torch, then what is compiled for that torch.
RUN cd /rewardlab && pip install --no-cache-dir -r requirements-build.txt \
 && pip wheel --no-cache-dir --no-deps --no-build-isolation -w /wheels . ./core ./plugins/*/* \
 && ls /wheels/*.whl | sed -E 's|^/wheels/([a-z_]+)-.*|\1 @ file://&|' > /wheels/ours.txt \
 && pip install --no-cache-dir -r plugins/engines/openrlhf/rewardlab_openrlhf/requirements/gpu.txt \
      -c /wheels/ours.txt "$(ls /wheels/rewardlab-*)[comet,embed,openrlhf,reward-model]" \
 && rm -r /wheels
ARG MAX_JOBS=8
RUN pip install --no-cache-dir --no-build-isolation \
      -r /rewardlab/plugins/engines/openrlhf/rewardlab_openrlhf/requirements/gpu-built.txt \
 && rewardlab check sp3f

WORKDIR /work
ENTRYPOINT ["rewardlab"]
CMD ["--help"]
