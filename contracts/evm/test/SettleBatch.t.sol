// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Authorization, AuthorizationKind, BatchGroup, BatchItem, ItemCode} from "../src/PaymentTypes.sol";
import {Fixture} from "./Fixture.sol";
import {GasBurningWallet, HonestWallet, ReturnBombWallet} from "./mocks/Wallets.sol";

contract SettleBatchTest is Fixture {
    function _code(bytes memory codes, uint256 index) internal pure returns (ItemCode) {
        return ItemCode(uint8(codes[index]));
    }

    function _assertCode(bytes memory codes, uint256 index, ItemCode expected) internal pure {
        assertEq(uint8(codes[index]), uint8(expected), vm.toString(index));
    }

    function test_groupsPayTheirOwnPayouts() public {
        BatchGroup[] memory groups = new BatchGroup[](2);
        groups[0] = _group(PLAIN, 3, 100, 10_000, 10_000);
        groups[1] = _group(SPLIT, 2, 200, 10_000, 4_000);
        bytes memory codes = _settle(groups);
        assertEq(codes, new bytes(5));
        assertEq(token.balanceOf(feeTo), 3 * 50 + 2 * 100);
        assertEq(token.balanceOf(partner), 2 * 400);
        assertEq(token.balanceOf(affiliate), 2 * 133);
        assertEq(token.balanceOf(merchant), 3 * 9_950 + 2 * (4_000 - 100 - 400 - 133));
        assertEq(token.balanceOf(vm.addr(_key(200))), 100_000 - 4_000);
        assertEq(_processorBalance(), 0);
        assertEq(processor.spentRecently(operator, address(token)), 38_000);
    }

    function test_everyPaymentHasItsOwnEvent() public {
        BatchGroup[] memory groups = _one(_group(SPLIT, 2, 200, 10_000, 4_000));
        for (uint256 i; i < 2; ++i) {
            vm.expectEmit(address(processor));
            emit PaymentSettled(uint64(200 + i), vm.addr(_key(200 + i)), address(token), SPLIT, 10_000, 4_000, 100);
        }
        _settle(groups);
    }

    function test_sharesAreRoundedPerPaymentAsForSinglePayments() public {
        _settle(_one(_group(SPLIT, 3, 100, 39, 39)));
        // 2.5 % of 39 is 0.975: three payments pay no fee, one sum of 117 would pay 2.
        assertEq(token.balanceOf(feeTo), 0);
        assertEq(token.balanceOf(partner), 9);
        assertEq(token.balanceOf(affiliate), 3);
        assertEq(token.balanceOf(merchant), 117 - 9 - 3);
    }

    function test_bothKindsOfAuthorizationSettle() public {
        Authorization memory a = _authorization(payer, 500);
        Authorization memory b = _authorization(payer, 500);
        b.kind = AuthorizationKind.Receive;
        BatchGroup memory group = BatchGroup(PLAIN, new BatchItem[](2));
        group.items[0] = _item(PAYER_KEY, a, 1, 500);
        group.items[1] = _item(PAYER_KEY, b, 2, 500);
        assertEq(_settle(_one(group)), new bytes(2));
    }

    function test_anEmptyBatchDoesNothing() public {
        assertEq(_settle(new BatchGroup[](0)), "");
    }

    function test_aSimulationTellsTheCodesWithoutMovingMoney() public {
        BatchGroup[] memory groups = _one(_group(PLAIN, 2, 100, 500, 500));
        groups[0].items[1].s = bytes32(uint256(5));
        uint256 snapshot = vm.snapshotState();
        bytes memory simulated = _settle(groups);
        vm.revertToState(snapshot);
        assertEq(simulated, _settle(groups));
    }

    function test_sevenBadItemsOfSevenKindsAmongAHundredHarmNobody() public {
        BatchGroup memory group = _group(PLAIN, 100, 1_000, 1e6, 1e6);
        bytes memory codes = _settle(_one(PLAIN, group.items[10]));
        _assertCode(codes, 0, ItemCode.Settled);
        group.items[20].amounts = (uint256(1e6) << 128) | (1e6 + 1);
        group.items[30].window = (uint256(block.timestamp - 1 days) << 64) | block.timestamp;
        group.items[40].s = bytes32(uint256(5));
        vm.prank(vm.addr(_key(1_050)));
        token.transfer(stranger, 10e6);
        Authorization memory burned = _authorization(vm.addr(_key(1_060)), 1e6);
        group.items[60] = _item(_key(1_060), burned, 1_060, 1e6);
        _submitDirectly(burned, _signature(_key(1_060), burned), address(processor));
        group.items[70].nonce = bytes32("svcpay and then something else");
        uint256 paidBefore = token.balanceOf(merchant) + token.balanceOf(feeTo);

        vm.prank(operator);
        uint256 gasBefore = gasleft();
        codes = processor.settleBatch(address(token), _one(group));
        uint256 gasPerPayment = (gasBefore - gasleft()) / 93;

        _assertCode(codes, 10, ItemCode.IntentAlreadySettled);
        _assertCode(codes, 20, ItemCode.AmountOutOfRange);
        _assertCode(codes, 30, ItemCode.Expired);
        _assertCode(codes, 40, ItemCode.PullRefused);
        _assertCode(codes, 50, ItemCode.InsufficientFunds);
        _assertCode(codes, 60, ItemCode.AuthorizationUsed);
        _assertCode(codes, 70, ItemCode.NonceNotBound);
        uint256 settled;
        for (uint256 i; i < 100; ++i) {
            if (_code(codes, i) == ItemCode.Settled) ++settled;
            assertEq(processor.isSettled(uint64(1_000 + i)), _code(codes, i) == ItemCode.Settled || i == 10);
        }
        assertEq(settled, 93);
        assertEq(token.balanceOf(merchant) + token.balanceOf(feeTo) - paidBefore, 93e6);
        assertEq(processor.surplus(address(token)), 1e6);
        assertLt(gasPerPayment, 53_000, "the good ones pay for the bad");
    }

    function test_otherBadItemsHaveCodesToo() public {
        BatchGroup memory group = _group(PLAIN, 6, 100, 500, 500);
        group.items[0].head |= 1 << 16;
        group.items[1].head |= 2 << 8;
        group.items[2].window |= 1 << 200;
        group.items[3].window = (block.timestamp << 64) | (block.timestamp + 300);
        group.items[4].amounts = uint256(500) << 128;
        bytes memory codes = _settle(_one(group));
        _assertCode(codes, 0, ItemCode.Malformed);
        _assertCode(codes, 1, ItemCode.Malformed);
        _assertCode(codes, 2, ItemCode.Malformed);
        _assertCode(codes, 3, ItemCode.NotYetValid);
        _assertCode(codes, 4, ItemCode.AmountOutOfRange);
        _assertCode(codes, 5, ItemCode.Settled);
    }

    function test_anInactivePayoutFailsItsGroupOnly() public {
        BatchGroup[] memory groups = new BatchGroup[](2);
        groups[0] = _group(99, 2, 100, 500, 500);
        groups[1] = _group(PLAIN, 1, 200, 500, 500);
        bytes memory codes = _settle(groups);
        _assertCode(codes, 0, ItemCode.PayoutInactive);
        _assertCode(codes, 1, ItemCode.PayoutInactive);
        _assertCode(codes, 2, ItemCode.Settled);
    }

    function test_aFailedItemSaysWhatTheTokenSaid() public {
        BatchGroup[] memory groups = _one(_group(PLAIN, 1, 100, 500, 500));
        groups[0].items[0].s = bytes32(uint256(5));
        bytes memory reason = abi.encodeWithSignature("Error(string)", "FiatTokenV2: invalid signature");
        vm.expectEmit(address(processor));
        emit PaymentFailed(100, vm.addr(_key(100)), ItemCode.PullRefused, reason);
        _settle(groups);
    }

    function test_oneIntentTwiceInABatchSettlesOnce() public {
        BatchGroup memory group = _group(PLAIN, 2, 100, 500, 500);
        Authorization memory a = _authorization(payer, 500);
        group.items[1] = _item(PAYER_KEY, a, 100, 500);
        bytes memory codes = _settle(_one(group));
        _assertCode(codes, 0, ItemCode.Settled);
        _assertCode(codes, 1, ItemCode.IntentAlreadySettled);
        assertEq(token.balanceOf(payer), FUNDS);
    }

    function test_oneAuthorizationForTwoIntentsPaysOne() public {
        Authorization memory a = _authorization(payer, 500);
        BatchGroup memory group = BatchGroup(PLAIN, new BatchItem[](2));
        group.items[0] = _item(PAYER_KEY, a, 1, 500);
        group.items[1] = _item(PAYER_KEY, a, 2, 500);
        bytes memory codes = _settle(_one(group));
        _assertCode(codes, 0, ItemCode.Settled);
        _assertCode(codes, 1, ItemCode.AuthorizationUsed);
        assertEq(token.balanceOf(payer), FUNDS - 500);
    }

    function test_aWalletThatBurnsGasOrAnswersWithAMegabyteHarmsNobody() public {
        address burner = address(new GasBurningWallet());
        address bomber = address(new ReturnBombWallet());
        address honest = address(new HonestWallet(payer));
        token.mint(burner, 500);
        token.mint(bomber, 500);
        token.mint(honest, 500);
        BatchGroup memory group = _group(PLAIN, 5, 100, 500, 500);
        group.items[1] = _item(PAYER_KEY, _authorization(burner, 500), 101, 500);
        group.items[2] = _item(PAYER_KEY, _authorization(bomber, 500), 102, 500);
        group.items[3] = _item(PAYER_KEY, _authorization(honest, 500), 103, 500);
        vm.prank(operator);
        bytes memory codes = processor.settleBatch{gas: 2_000_000}(address(token), _one(group));
        _assertCode(codes, 0, ItemCode.Settled);
        _assertCode(codes, 1, ItemCode.PullRefused);
        _assertCode(codes, 2, ItemCode.PullRefused);
        _assertCode(codes, 3, ItemCode.Settled);
        _assertCode(codes, 4, ItemCode.Settled);
    }

    function test_tooLittleGasUndoesTheBatchAndNeverFailsAGoodItem() public {
        BatchGroup[] memory groups = _one(_group(PLAIN, 10, 100, 500, 500));
        uint256 snapshot = vm.snapshotState();
        for (uint256 gasLimit = 100_000; gasLimit < 1_100_000; gasLimit += 20_000) {
            vm.prank(operator);
            try processor.settleBatch{gas: gasLimit}(address(token), groups) returns (bytes memory codes) {
                assertEq(codes, new bytes(10));
                assertEq(processor.totalOwed(address(token)), 0);
            } catch {
                assertEq(_processorBalance(), 0);
            }
            vm.revertToState(snapshot);
        }
        vm.prank(operator);
        vm.expectPartialRevert(NotEnoughGas.selector);
        processor.settleBatch{gas: 450_000}(address(token), groups);
    }

    function test_tooLittleGasNeverChangesWhatAFailureIsCalled() public {
        Authorization memory a = _authorization(payer, 500);
        BatchGroup[] memory groups = _one(PLAIN, _item(PAYER_KEY, a, 1, 500));
        _submitDirectly(a, _signature(PAYER_KEY, a), address(processor));
        uint256 answers;
        for (uint256 gasLimit = 30_000; gasLimit < 330_000; gasLimit += 1_000) {
            vm.prank(operator);
            try processor.settleBatch{gas: gasLimit}(address(token), groups) returns (bytes memory codes) {
                _assertCode(codes, 0, ItemCode.AuthorizationUsed);
                ++answers;
            } catch {}
        }
        assertGt(answers, 0);
    }

    function test_twoHundredItemsFitAndMoreAreRefused() public {
        BatchGroup memory group = _group(PLAIN, 200, 1_000, 500, 500);
        vm.prank(operator);
        assertEq(processor.settleBatch{gas: 16_700_000}(address(token), _one(group)), new bytes(200));
        BatchGroup[] memory groups = new BatchGroup[](2);
        groups[0] = BatchGroup(PLAIN, new BatchItem[](200));
        groups[1] = BatchGroup(SPLIT, new BatchItem[](1));
        vm.prank(operator);
        vm.expectRevert(abi.encodeWithSelector(BatchTooLarge.selector, 201, 200));
        processor.settleBatch(address(token), groups);
    }

    function test_aBlockedMerchantDoesNotStopTheBatch() public {
        token.setBlacklisted(merchant, true);
        _settle(_one(_group(PLAIN, 3, 100, 10_000, 10_000)));
        assertEq(processor.owed(address(token), merchant), 3 * 9_950);
        assertEq(_processorBalance(), 3 * 9_950);
        assertEq(token.balanceOf(feeTo), 150);
    }

    function test_aRefundThatCannotBeDeliveredIsKeptForThePayer() public {
        BatchGroup[] memory groups = _one(_group(PLAIN, 2, 100, 10_000, 4_000));
        address first = vm.addr(_key(100));
        vm.mockCallRevert(address(token), abi.encodeCall(token.transfer, (first, 6_000)), "blocked");
        assertEq(_settle(groups), new bytes(2));
        assertEq(processor.owed(address(token), first), 6_000);
        assertEq(_processorBalance(), 6_000);
    }

    function test_aPausedTokenFailsItemsAndMovesNothing() public {
        BatchGroup[] memory groups = _one(_group(PLAIN, 2, 100, 500, 500));
        token.setPaused(true);
        bytes memory codes = _settle(groups);
        _assertCode(codes, 0, ItemCode.PullRefused);
        _assertCode(codes, 1, ItemCode.PullRefused);
    }

    function test_aTokenThatIsNotEnabledIsRefused() public {
        vm.prank(operator);
        vm.expectRevert(abi.encodeWithSelector(TokenNotEnabled.selector, stranger));
        processor.settleBatch(stranger, new BatchGroup[](0));
    }

    function testFuzz_badItemsNeverTouchGoodOnes(uint8 mask, uint256 cap, uint256 settled) public {
        cap = bound(cap, 1, 1e12);
        settled = bound(settled, 1, cap);
        BatchGroup memory group = _group(SPLIT, 6, 100, cap, settled);
        uint256 good;
        for (uint256 i; i < 6; ++i) {
            if ((mask >> i) & 1 == 1) group.items[i].r = bytes32(uint256(1));
            else ++good;
        }
        bytes memory codes = _settle(_one(group));
        for (uint256 i; i < 6; ++i) {
            bool bad = (mask >> i) & 1 == 1;
            _assertCode(codes, i, bad ? ItemCode.PullRefused : ItemCode.Settled);
            assertEq(token.balanceOf(vm.addr(_key(100 + i))), bad ? 10 * cap : 10 * cap - settled);
        }
        uint256 parts = token.balanceOf(merchant) + token.balanceOf(partner) + token.balanceOf(affiliate);
        assertEq(parts + token.balanceOf(feeTo), good * settled);
        assertEq(token.balanceOf(feeTo), good * (settled * 250 / 10_000));
        assertEq(_processorBalance(), 0);
    }
}
